import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seccompFilter } from './seccomp-filter.js';

/** Not 3 and 4: those are the gate's and bubblewrap's status. */
const FILTER_FD = 5;

/** When memory runs out the kernel ends what has the highest score first: the command, and not the person's programs or us. */
const START = `
echo 1000 > /proc/self/oom_score_adj
[ -z "$1" ] || exec ${FILTER_FD}< "$1" || exit 1
shift
exec "$@"
`;

/** Words that come before and after the program of bubblewrap, whatever it is to do. `folder` is empty and this call's own. */
export async function startWords(folder: string): Promise<{ before: string[]; after: string[] }> {
  const filter = seccompFilter();
  const file = filter === undefined ? '' : join(folder, 'filter');
  if (filter !== undefined) await writeFile(file, filter, { mode: 0o600 });
  return {
    before: ['/bin/sh', '-c', START, 'start', file],
    after: filter === undefined ? [] : ['--seccomp', String(FILTER_FD)],
  };
}
