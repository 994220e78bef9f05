export { explainOutsideGit } from './explain-outside-git.js';
export { openTerminal } from './open-terminal.js';
export type { OpenedTerminal } from './open-terminal.js';
export { findProcess } from './run-folder.js';
export { beginRun, prepareRunAgent, runInDraft } from './run-in-draft.js';
export type { BegunRun, DraftedRun } from './run-in-draft.js';
export type { RunIo } from './connect-io.js';
export { NoSuchProgram, RunNotStarted } from './start-program.js';
