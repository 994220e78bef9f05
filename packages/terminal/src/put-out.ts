import { writeFile } from 'node:fs/promises';
import { CommandError } from './command-error.js';
import { EXIT } from './exit-codes.js';
import { errors } from './words/errors.js';

/** Writes to a new file, or to standard output. */
export async function putOut(file: string | undefined, text: string, print: (text: string) => void): Promise<void> {
  if (file === undefined || file === '-') {
    print(text.endsWith('\n') || text === '' ? text : `${text}\n`);
    return;
  }
  await writeNew(file, text);
}

/** Writes a file that doesn't exist yet. */
export async function writeNew(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = isThere ? errors.fileExists : String(error instanceof Error ? error.message : error);
    throw new CommandError(errors.cannotWrite(file, why), EXIT.failed, error);
  }
}
