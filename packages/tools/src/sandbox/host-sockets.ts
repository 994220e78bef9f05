import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

/** Finds sockets to hide: even in a read-only folder, a command could connect to a socket and reach a service with more privileges. */
export async function hostSockets(): Promise<string[]> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  const paths = table.split('\n').map((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1]);
  return [...new Set(paths)].filter((path): path is string => path !== undefined && isAbsolute(path));
}
