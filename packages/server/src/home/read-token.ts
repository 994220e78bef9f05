import { join } from 'node:path';
import { readPrivate } from './private-file.js';

/** The token saved by this home folder's server, for the same user's other commands. */
export function readToken(home: string): string | undefined {
  const token = readPrivate(join(home, 'token'))?.trim();
  return token === '' ? undefined : token;
}
