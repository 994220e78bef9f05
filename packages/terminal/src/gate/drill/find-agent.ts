import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const VERSION_MS = 120_000;

/** The program in PATH, or the given file; undefined if it doesn't exist. */
export async function findAgent(program: string, bin: string | undefined, path: string): Promise<string | undefined> {
  return await firstProgram(
    bin === undefined ? path.split(delimiter).map((folder) => join(folder, program)) : [resolve(bin)],
  );
}

/** The program of an ACP agent, which the server doesn't start from relative folders or those inside `node_modules` (EXT3.8). */
export async function findAcpProgram(program: string, path: string): Promise<string | undefined> {
  if (isAbsolute(program)) return await firstProgram([program]);
  const folders = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.split(sep).includes('node_modules'));
  return await firstProgram(folders.map((folder) => join(folder, program)));
}

async function firstProgram(places: readonly string[]): Promise<string | undefined> {
  for (const place of places) {
    const isProgram = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return place;
  }
  return undefined;
}

/** The version that the program reports; undefined if it reports none. */
export async function versionOf(bin: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  try {
    const { stdout } = await run(bin, ['--version'], { env, timeout: VERSION_MS });
    return /\d+\.\d+\.\d+[\w.-]*/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}
