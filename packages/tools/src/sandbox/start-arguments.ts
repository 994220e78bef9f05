import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seccompFilter } from './seccomp-filter.js';

/** The descriptor on which bubblewrap reports the PID of its child. The one before it is used for the gate. */
export const STATUS_FD = 4;
const FILTER_FD = 5;

/**
 * When memory runs out, the kernel kills the process with the highest score first: the command, not the user's programs
 * or us.
 */
const START = `
echo 1000 > /proc/self/oom_score_adj
[ -z "$1" ] || exec ${FILTER_FD}< "$1" || exit 1
shift
exec "$@"
`;

/** Arguments before and after the bubblewrap program, for every command. `folder` must be an empty folder for this call. */
export async function startArguments(folder: string): Promise<{ before: string[]; after: string[] }> {
  const filter = seccompFilter();
  const file = filter === undefined ? '' : join(folder, 'filter');
  if (filter !== undefined) await writeFile(file, filter, { mode: 0o600 });
  return {
    before: ['/bin/sh', '-c', START, 'start', file],
    after: filter === undefined ? [] : ['--seccomp', String(FILTER_FD)],
  };
}
