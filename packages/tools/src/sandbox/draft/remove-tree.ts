import { Buffer } from 'node:buffer';
import { chmod, readdir, rm } from 'node:fs/promises';

/** Removes a file or folder even where a command, or the kernel, has closed parts of it. The path is bytes: names may be no text. */
export async function removeTree(path: string | Buffer): Promise<void> {
  const bytes = Buffer.from(path as string);
  try {
    await rm(bytes, { recursive: true, force: true });
  } catch {
    await openUp(bytes);
    await rm(bytes, { recursive: true, force: true });
  }
}

async function openUp(folder: Buffer): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await openUp(Buffer.concat([folder, Buffer.from('/'), entry.name]));
  }
}
