export type { Addressable } from './addressable.js';
export { explainInactive, explainSilence, findSilence } from './explain-silence.js';
export type { Silence } from './explain-silence.js';
export { foldName } from './index-names.js';
export type { Speaker } from './speaker.js';
export { prepareAnswer } from './prepare-answer.js';
export type { PreparedAnswer } from './prepare-answer.js';
export { readMentions } from './read-mentions.js';
export { resolveAddressees } from './resolve-addressees.js';
