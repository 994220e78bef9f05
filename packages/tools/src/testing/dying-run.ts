import { systemClock } from '@countersign/core/ports';
import { startedRunSchema } from '@countersign/protocol';
import { openAgentHome } from '../run/home/open-agent-home.js';
import { supervise } from '../run/supervise.js';

// A supervisor that is killed from outside. Prints the program's output.
const [started = '', ...words] = process.argv.slice(2);
const run = startedRunSchema.parse(JSON.parse(started));
await supervise({
  ...{ started: run, words, clock: systemClock, environment: process.env },
  home: await openAgentHome({ root: run.root, kept: run.home, home: process.env['HOME'] ?? '/' }),
  io: { kind: 'pipes', stdin: undefined, stdout: process.stdout, stderr: process.stderr },
  onSignal: () => () => undefined,
});
