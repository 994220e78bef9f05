import { delimiter } from 'node:path';
import { trustedFolders } from './trusted-folders.js';

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** All that a command sees of an environment: nothing of ours is in it, so no key or token can be read from it (A21). */
export function cleanEnvironment(home: string, path: string = process.env['PATH'] ?? ''): Record<string, string> {
  // Another entry would run what an agent left there under the name of a program that a rule allows.
  const folders = trustedFolders(path);
  return {
    PATH: folders.length === 0 ? USUAL_PATH : folders.join(delimiter),
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
  };
}
