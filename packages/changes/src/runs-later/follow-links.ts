import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

const MAX_LINKS = 40;

/**
 * The target of a path, even if it doesn't exist yet: a hook may be a symlink to a script that is about to be written.
 */
export async function followLinks(path: string, left = MAX_LINKS): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || left === 0 || path === dirname(path)) return real ?? path;
  const parent = await followLinks(dirname(path), left - 1);
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? join(parent, basename(path)) : await followLinks(resolve(parent, target), left - 1);
}

/** Every symlink on the way from a path to its target: changing any of them would redirect it. */
export async function linksAlong(path: string): Promise<string[]> {
  const met: string[] = [];
  const names = path.split('/');
  let at = '/';
  for (let name = names.shift(); name !== undefined && met.length < MAX_LINKS; name = names.shift()) {
    const here = join(at, name);
    const target = await readlink(here).catch(() => undefined);
    if (target === undefined) at = here;
    else {
      met.push(here);
      if (isAbsolute(target)) at = '/';
      names.unshift(...target.split('/'));
    }
  }
  return met;
}
