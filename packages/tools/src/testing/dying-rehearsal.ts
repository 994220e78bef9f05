import type { Sandbox } from '../sandbox/sandbox.js';
import { shellCmd } from '../shell/shell-cmd.js';
import { tryTool } from './try-tool.js';

/** Rehearses a command and applies the rehearsal, until a test kills this process. */
const [workingDirectory = '', command = '', sandbox = ''] = process.argv.slice(2);
const tool = shellCmd({ sandbox: JSON.parse(sandbox) as Sandbox });
const rehearsal = await tool.rehearsals?.rehearse(
  { command },
  {
    worldId: 'world',
    agentId: 'agent',
    chatId: 'chat',
    invocationId: 'call',
    workingDirectory,
    signal: new AbortController().signal,
  },
);
if (rehearsal?.fingerprint === undefined) throw new Error('there is no effect');
const tried = await tryTool(tool, { command }, { workingDirectory, fingerprint: rehearsal.fingerprint });
if (!tried.ok) throw new Error(tried.error);
