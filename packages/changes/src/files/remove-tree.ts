import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { chmod, readdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Removes a file or folder even if a command or the kernel made parts of it unreadable. The path may be bytes, because names may not be valid
 * UTF-8.
 */
export async function removeTree(path: string | Buffer): Promise<void> {
  const bytes = Buffer.from(path as string);
  try {
    await rm(bytes, { recursive: true, force: true });
  } catch {
    await openUp(bytes);
    await rm(bytes, { recursive: true, force: true }).catch(() => removeDeep(bytes));
  }
}

/** Removes folders nested beyond the maximum path length. Programs can create them with `cd`. */
async function removeDeep(path: Buffer): Promise<void> {
  const at = path.lastIndexOf(47);
  // The last part may not be valid UTF-8; the next cleanup retries what is left.
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
