import { systemClock } from '@countersign/core/ports';
import { startedRunSchema } from '@countersign/protocol';
import { supervise } from '../run/supervise.js';

// A supervisor that is killed from outside. Prints the program's output.
const [started = '', ...words] = process.argv.slice(2);
await supervise({
  ...{ started: startedRunSchema.parse(JSON.parse(started)), words, clock: systemClock, environment: process.env },
  io: { kind: 'pipes', stdin: undefined, stdout: process.stdout, stderr: process.stderr },
  onSignal: () => () => undefined,
});
