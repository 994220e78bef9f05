import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { chmod, readdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Removes a file or folder even where a command, or the kernel, has closed parts of it. The path is bytes: names may be no text. */
export async function removeTree(path: string | Buffer): Promise<void> {
  const bytes = Buffer.from(path as string);
  try {
    await rm(bytes, { recursive: true, force: true });
  } catch {
    await openUp(bytes);
    await rm(bytes, { recursive: true, force: true }).catch(() => removeDeep(bytes));
  }
}

/** Folders in folders beyond what a path can name, which only a program that goes down step by step can remove. */
async function removeDeep(path: Buffer): Promise<void> {
  const at = path.lastIndexOf(47);
  // The last part alone may be no text: what is left of it is tried by the next sweep.
  await run('/bin/rm', ['-rf', '--', `./${path.subarray(at + 1).toString()}`], {
    cwd: path.subarray(0, at).toString(),
    env: {},
  });
}

async function openUp(folder: Buffer): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await openUp(Buffer.concat([folder, Buffer.from('/'), entry.name]));
  }
}
