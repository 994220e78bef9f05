import { delimiter } from 'node:path';
import { trustedFolders } from './trusted-folders.js';

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The complete environment of a command. It contains none of our variables, so no key or token can leak (SAFE1). */
export function cleanEnvironment(home: string, path: string = process.env['PATH'] ?? ''): Record<string, string> {
  // A program that an agent left in another folder could run under the name of a program that a rule allows.
  const folders = trustedFolders(path);
  return {
    PATH: folders.length === 0 ? USUAL_PATH : folders.join(delimiter),
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
  };
}
