import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { openInputPipe, openPipes } from '../shell/open-pipe.js';
import type { OpenedTerminal } from './open-terminal.js';
import type { ProgramIo } from './start-program.js';

/** What a run's program reads and writes, outside. */
export type RunIo =
  | {
      readonly kind: 'pipes';
      /** Undefined: the program reads nothing. */
      readonly stdin: Readable | undefined;
      readonly stdout: Writable;
      readonly stderr: Writable;
    }
  | {
      readonly kind: 'terminal';
      readonly stdin: Readable;
      readonly stdout: Writable;
      readonly terminal: OpenedTerminal;
    };

export interface ConnectedIo {
  readonly descriptors: ProgramIo;
  /** Must be called when the program has started: its ends are closed here. */
  connected(): void;
  /** Resolves when everything that the program wrote has been passed on. All its processes must be dead. */
  drained(): Promise<void>;
  /** Must always be called. */
  close(): void;
}

/**
 * Connects a program's input and output through pipes or a terminal of its own. It never gets ours: through `/proc/self/fd`, it could open a file
 * again for writing that it was given for reading, and it could type into our terminal.
 */
export async function connectIo(io: RunIo, temporary: string): Promise<ConnectedIo> {
  return io.kind === 'terminal' ? connectTerminal(io) : await connectPipes(io, temporary);
}

function connectTerminal({ stdin, stdout, terminal }: Extract<RunIo, { kind: 'terminal' }>): ConnectedIo {
  const { outer, inner } = terminal;
  // A terminal without a program ends with EIO, which closes it.
  const ended = Promise.race([once(outer, 'close'), once(outer, 'end')]).catch(() => undefined);
  stdin.pipe(outer);
  outer.pipe(stdout, { end: false });
  return {
    descriptors: { kind: 'terminal', stdin: inner, stdout: inner, stderr: inner },
    connected: () => terminal.closeInner(),
    async drained() {
      await ended;
    },
    close() {
      stdin.unpipe(outer);
      terminal.closeInner();
      outer.destroy();
    },
  };
}

async function connectPipes(
  { stdin, stdout, stderr }: Extract<RunIo, { kind: 'pipes' }>,
  temporary: string,
): Promise<ConnectedIo> {
  const out = await openPipes(temporary);
  const input = stdin === undefined ? undefined : await openInputPipe(temporary);
  const nothing = input === undefined ? openSync('/dev/null', 'r') : undefined;
  // The program needn't read all of its input.
  input?.writer.on('error', () => undefined);
  if (input !== undefined) stdin?.pipe(input.writer);
  const passed = [pass(out.stdout.reader, stdout), pass(out.stderr.reader, stderr)];
  let isConnected = false;
  const connected = (): void => {
    if (isConnected) return;
    isConnected = true;
    out.stdout.closeWriter();
    out.stderr.closeWriter();
    input?.closeReader();
    if (nothing !== undefined) closeSync(nothing);
  };
  return {
    descriptors: {
      kind: 'pipes',
      stdin: input?.reader ?? nothing ?? 0,
      stdout: out.stdout.writer,
      stderr: out.stderr.writer,
    },
    connected,
    async drained() {
      await Promise.all(passed);
    },
    close() {
      if (input !== undefined) stdin?.unpipe(input.writer);
      input?.writer.destroy();
      connected();
      out.stdout.reader.destroy();
      out.stderr.reader.destroy();
    },
  };
}

/** If nobody reads any more, the program gets SIGPIPE at its next write. */
async function pass(from: Readable, to: Writable): Promise<void> {
  const closed = once(from, 'close').catch(() => undefined);
  to.once('error', () => from.destroy());
  from.pipe(to, { end: false });
  await closed;
}
