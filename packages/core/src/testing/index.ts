export { createFakeClock } from './fake-clock.js';
export type { FakeClock } from './fake-clock.js';
export { scripted } from './scripted.js';
export type { Script, ScriptedCall, ScriptedOptions, ScriptedProvider, ScriptedReply } from './scripted.js';
