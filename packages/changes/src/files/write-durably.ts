import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { rename, writeFile } from 'node:fs/promises';

/** Writes a file completely or not at all, so that it survives a power failure. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  await writeFile(partial, text, { mode: 0o600 });
  syncToDisk(partial);
  await rename(partial, file);
  syncToDisk(dirname(file));
}

function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
