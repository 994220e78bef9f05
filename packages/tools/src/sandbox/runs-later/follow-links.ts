import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

const MOST_LINKS = 40;

/** Where a path leads, also when nothing is there yet: a hook may be a link to a script that somebody is about to write. */
export async function followLinks(path: string, left = MOST_LINKS): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || left === 0 || path === dirname(path)) return real ?? path;
  const parent = await followLinks(dirname(path), left - 1);
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? join(parent, basename(path)) : await followLinks(resolve(parent, target), left - 1);
}
