import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashOfLogin, parse } from './open-agent-home.js';
import type { RenewedLogin } from './types.js';

/**
 * Writes a renewed login to the file outside, next to what else the file has. Only after a person signed it. Returns false if it isn't
 * the one that was signed, or if the file has changed since the run started: somebody signed in again, so that the renewed one is out of date.
 */
export async function writeBackLogin(
  { file, before, renewed }: Pick<RenewedLogin, 'file' | 'before' | 'renewed'>,
  signedHash: string,
): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const content = await readFile(renewed, 'utf8').catch(() => '');
  const login = parse(content);
  if (login === undefined || hashOfLogin(content) !== signedHash) return false;
  const written = JSON.stringify({ ...parse(text), ...login }, undefined, 2);
  if (text === written) return true;
  if (hashOfLogin(text) !== before) return false;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // People keep such files in another place and link to them.
  const real = await realpath(file).catch(() => file);
  const part = join(dirname(real), `.countersign-${randomUUID()}`);
  try {
    await writeFile(part, written, { mode: 0o600, flag: 'wx' });
    await rename(part, real);
  } finally {
    await rm(part, { force: true });
  }
  return true;
}
