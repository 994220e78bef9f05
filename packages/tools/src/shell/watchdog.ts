import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SYSTEM_PATH, systemProgram } from '../sandbox/programs/system-program.js';

/** The environment variable that marks every process of one command if there is no sandbox. */
export const MARK = 'COUNTERSIGN_CALL';

/**
 * Waits until stdin closes, which also happens when we are killed, and then kills what is left: the process group and every process with
 * the mark. Repeats, because a killed process may have just forked.
 */
const SCRIPT = `
read -r _
kill -KILL -- "-$1" 2>/dev/null
for round in {1..100}; do
  found=$(grep -lszxF -- "$2" /proc/[0-9]*/environ 2>/dev/null)
  [[ -n $found ]] || exit 0
  for file in $found; do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
done
`;

export interface Watchdog {
  /** Kills all remaining processes and resolves when they are dead. */
  sweep(): Promise<void>;
}

/** Starts a watchdog: without it, a command's processes would outlive a killed server. */
export function startWatchdog(group: number, mark: string): Watchdog {
  const bash = systemProgram('bash');
  const child = spawn(bash, ['--noprofile', '--norc', '-c', SCRIPT, 'watchdog', String(group), `${MARK}=${mark}`], {
    // A separate session, so that Ctrl-C in our terminal doesn't kill it before it is done.
    detached: true,
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = once(child, 'exit').catch(() => undefined);
  child.stdin.on('error', () => undefined);
  return {
    async sweep() {
      child.stdin.end();
      await gone;
    },
  };
}
