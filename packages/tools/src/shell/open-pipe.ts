import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemProgram } from '../sandbox/programs/system-program.js';

const run = promisify(execFile);

export interface Pipe {
  /** Emits what is written until the last writer is dead. */
  readonly reader: Socket;
  /** To hand to a child. */
  readonly writer: number;
  closeWriter(): void;
}

/**
 * Real pipes for a command's output. Node would give it sockets, and on a socket `echo … > /dev/stderr` fails.
 * Their names go at once: nobody needs them when both ends are open.
 */
export async function openPipes(folder: string): Promise<{ stdout: Pipe; stderr: Pipe }> {
  const [stdout, stderr] = [join(folder, 'stdout'), join(folder, 'stderr')];
  await run(systemProgram('mkfifo'), ['-m', '600', stdout, stderr], { env: {} });
  const first = openPipe(stdout);
  try {
    return { stdout: first, stderr: openPipe(stderr) };
  } catch (error) {
    first.closeWriter();
    first.reader.destroy();
    throw error;
  }
}

function openPipe(path: string): Pipe {
  // Not waiting for the other end: it is opened by the next line.
  const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  let open = true;
  return {
    reader: new Socket({ fd: end, readable: true, writable: false }),
    writer,
    closeWriter() {
      if (open) closeSync(writer);
      open = false;
    },
  };
}
