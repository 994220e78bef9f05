import { spawn } from 'node:child_process';
import { createFakeClock } from '@countersign/core/testing';
import { expect, it } from 'vitest';
import { runCommand } from './run-command.js';

it('[TURN15] output is not lost if the event loop is blocked when the command ends', async () => {
  const child = spawn('printf', ['written'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let isBusy = false;
  const end = await runCommand(
    {
      stdout: child.stdout,
      stderr: child.stderr,
      exited: Promise.resolve(0),
      inner: undefined,
      terminate: () => undefined,
      sweep: () => {
        // Block the event loop for two seconds, right before the output is read to its end.
        if (!isBusy) setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000));
        isBusy = true;
        return Promise.resolve();
      },
    },
    { signal: new AbortController().signal, clock: createFakeClock(), timeoutMs: 1_000, output: () => undefined },
  );
  expect(end).toEqual({ why: 'exited', result: { exitCode: 0, stdout: 'written', stderr: '' } });
});
