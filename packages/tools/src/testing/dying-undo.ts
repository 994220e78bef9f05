/** Undoes the call `call`, for tests that kill it at any moment. Arguments: the effect hash, and the sandbox as JSON. */
import { shellCmd } from '../shell/shell-cmd.js';
import type { Sandbox } from '../sandbox/sandbox.js';

const [hash = '', sandbox = ''] = process.argv.slice(2);
await shellCmd({ sandbox: JSON.parse(sandbox) as Sandbox }).undos?.undo('call', hash);
