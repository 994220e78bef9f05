import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { openTerminal, type DraftedRun, type RunIo } from '@countersign/tools/run';
import { CommandError } from '../../command-error.js';
import { sizeOf, type Console } from '../../console.js';
import { runWords as words } from '../../words/run.js';

export interface OpenedIo {
  readonly io: RunIo;
  /** Gives the terminal back. Must always be called. */
  close(): void;
}

/** A terminal of the program's own: the program never gets ours (RUN5). */
export async function openOwnTerminal({ stdin, stdout }: Console): Promise<OpenedIo> {
  const terminal = await openTerminal(sizeOf(stdout));
  if (terminal === undefined) throw new CommandError(words.noTerminal);
  const resize = (): void => terminal.resize(sizeOf(stdout));
  stdout.on('resize', resize);
  stdin.setRawMode(true);
  return {
    io: { kind: 'terminal', stdin, stdout, terminal },
    close() {
      stdout.off('resize', resize);
      stdin.setRawMode(false);
      // Otherwise, it keeps the process alive.
      stdin.pause();
    },
  };
}

export function openPipes(
  { stdin, stdout, stderr }: Console,
  { isJson, readsInput }: { isJson: boolean; readsInput: boolean },
): OpenedIo {
  // Otherwise, the whole command would end at once if nobody reads the program's output any more, as with `| head`.
  stdout.removeAllListeners('error').on('error', () => undefined);
  return {
    io: { kind: 'pipes', stdin: readsInput ? stdin : undefined, stdout: isJson ? stderr : stdout, stderr },
    close: () => void stdin.pause(),
  };
}

const MOST_OUTPUT_BYTES = 8 * 1024 ** 2;

/** The output of a detached run, in its folder. What is more than 8 MiB is dropped. */
export function outputFile(root: string): string {
  return join(root, 'output.log');
}

export function openOutputFile(root: string): OpenedIo {
  const file = createWriteStream(outputFile(root), { mode: 0o600, flags: 'a' });
  let left = MOST_OUTPUT_BYTES;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const kept = chunk.subarray(0, left);
      left -= kept.length;
      done(null, kept);
    },
  });
  limit.pipe(file);
  return {
    io: { kind: 'pipes', stdin: undefined, stdout: limit, stderr: limit },
    close: () => void limit.end(),
  };
}

export const onSignal: DraftedRun['onSignal'] = (heard) => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listeners = signals.map((name) => [name, () => heard(name)] as const);
  for (const [name, listener] of listeners) process.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) process.off(name, listener);
  };
};
