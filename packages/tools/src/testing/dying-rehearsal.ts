import type { Sandbox } from '../sandbox/sandbox.js';
import { shellCmd } from '../shell/shell-cmd.js';
import { sealCalls } from './seal-calls.js';
import { tryTool } from './try-tool.js';

/** Rehearses a command and applies the rehearsal, until a test kills this process. `batch`: each line is a command of its own. */
const [workingDirectory = '', command = '', sandbox = '', how = ''] = process.argv.slice(2);
const tool = shellCmd({ sandbox: JSON.parse(sandbox) as Sandbox });
if (how === 'batch') {
  const calls = command.split('\n').map((line) => ({ tool, args: { command: line } }));
  const { batch } = await sealCalls(tool, workingDirectory, calls);
  const hold = await batch.hold();
  if (hold === undefined) throw new Error('the folder has changed');
  await batch.apply(['call', 'other'], hold);
  await hold.release();
  await batch.discard();
} else {
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
}
