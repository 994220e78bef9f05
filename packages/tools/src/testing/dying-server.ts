import { writeSync } from 'node:fs';
import { findSandbox } from '../sandbox/find-sandbox.js';
import { shellCmd } from '../shell/shell-cmd.js';
import { tryTool } from './try-tool.js';

// A server that runs one command and is killed from outside. Prints the command's output.
const [workingDirectory = '', kind = '', command = '', maxProcesses = '4096'] = process.argv.slice(2);
const sandbox = kind === 'none' ? ({ kind: 'none', reason: 'left out on purpose' } as const) : await findSandbox();
const tool = shellCmd({ sandbox, maxProcesses: Number(maxProcesses) });
const tried = await tryTool(tool, { command }, { workingDirectory, output: (text) => writeSync(1, text) });
if (!tried.ok) writeSync(2, `${tried.error}\n`);
