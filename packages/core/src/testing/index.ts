export { EMPTY_CHAT } from '../chats/create-chat.js';
export { createFakeClock } from './fake-clock.js';
export type { FakeClock } from './fake-clock.js';
export { hostileCalls } from './hostile-calls.js';
export { MAY_ALL } from './may-all.js';
export { stepOf } from './step.js';
export { scripted } from './scripted.js';
export type { Script, ScriptedCall, ScriptedOptions, ScriptedProvider, ScriptedReply } from './scripted.js';
