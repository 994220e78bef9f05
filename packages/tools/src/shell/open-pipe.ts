import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemProgram } from '@countersign/changes';

const run = promisify(execFile);

export interface Pipe {
  /** Emits output until the last writer has closed the pipe. */
  readonly reader: Socket;
  /** File descriptor to pass to a child. */
  readonly writer: number;
  closeWriter(): void;
}

/** Both ends of an unlinked pipe that no other process has open. */
interface Ends {
  readonly reader: number;
  readonly writer: number;
}

/** The number of pipes created by one `mkfifo`. Forking this process for each command took longer than creating the pipes. */
const BATCH = 16;

const spare: Ends[] = [];
let making: Promise<void> | undefined;

/** Real pipes for a command's output. Node would use sockets, for which `echo … > /dev/stderr` fails. */
export async function openPipes(folder: string): Promise<{ stdout: Pipe; stderr: Pipe }> {
  const stdout = await takePipe(folder);
  try {
    return { stdout, stderr: await takePipe(folder) };
  } catch (error) {
    stdout.closeWriter();
    stdout.reader.destroy();
    throw error;
  }
}

/** A pipe for a program's input. */
export interface InputPipe {
  /** File descriptor to pass to a child. */
  readonly reader: number;
  readonly writer: Socket;
  closeReader(): void;
}

export async function openInputPipe(folder: string): Promise<InputPipe> {
  const ends = await takeEnds(folder);
  // Opened again, because the child would inherit `O_NONBLOCK`.
  const reader = openSync(`/proc/self/fd/${ends.reader}`, constants.O_RDONLY);
  closeSync(ends.reader);
  const writer = new Socket({ fd: ends.writer, readable: false, writable: true });
  return { reader, writer, closeReader: () => closeSync(reader) };
}

async function takePipe(folder: string): Promise<Pipe> {
  return toPipe(await takeEnds(folder));
}

async function takeEnds(folder: string): Promise<Ends> {
  for (;;) {
    const ends = spare.pop();
    if (ends !== undefined) return ends;
    // One batch at a time: concurrent commands would otherwise open hundreds of spare files.
    await (making ??= makePipes(folder).finally(() => (making = undefined)));
  }
}

async function makePipes(folder: string): Promise<void> {
  const paths = Array.from({ length: BATCH }, (_, index) => join(folder, `pipe-${index}`));
  await run(systemProgram('mkfifo'), ['-m', '600', ...paths], { env: {} });
  for (const path of paths) spare.push(openEnds(path));
}

/** Unlinks the file immediately; it isn't needed once both ends are open. */
function openEnds(path: string): Ends {
  // Non-blocking, because the next line opens the other end.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reader, writer: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(reader);
    throw error;
  } finally {
    unlinkSync(path);
  }
}

function toPipe({ reader, writer }: Ends): Pipe {
  let open = true;
  return {
    reader: new Socket({ fd: reader, readable: true, writable: false }),
    writer,
    closeWriter() {
      if (open) closeSync(writer);
      open = false;
    },
  };
}
