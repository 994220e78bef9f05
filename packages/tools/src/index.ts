export { shellCmd } from './shell/shell-cmd.js';
export type { ShellOptions } from './shell/shell-cmd.js';
export { findSandbox } from './sandbox/find-sandbox.js';
export { describeSandbox } from './sandbox/sandbox.js';
export type { Sandbox } from './sandbox/sandbox.js';
