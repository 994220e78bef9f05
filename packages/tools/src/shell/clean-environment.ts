import { delimiter, isAbsolute } from 'node:path';

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** All that a command sees of an environment: nothing of ours is in it, so no key or token can be read from it (A21). */
export function cleanEnvironment(home: string, path: string = process.env['PATH'] ?? ''): Record<string, string> {
  // A relative entry would run what an agent left in the folder it happens to be in.
  const folders = path.split(delimiter).filter((entry) => isAbsolute(entry));
  return {
    PATH: folders.length === 0 ? USUAL_PATH : folders.join(delimiter),
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
  };
}
