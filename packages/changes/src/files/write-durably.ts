import { closeSync, fsyncSync, openSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';

/** Writes a file completely or not at all. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  await writeFile(partial, text, { mode: 0o600 });
  const handle = openSync(partial, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  await rename(partial, file);
}
