import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SYSTEM_PATH, systemProgram } from '../sandbox/programs/system-program.js';

/** Marks every process of one command in its environment, for where no sandbox holds them together. */
export const MARK = 'COUNTERSIGN_CALL';

/**
 * Waits for the end of its input, which comes when we close it and also when we are killed, and then kills what is left: the
 * process group, and whatever left the group but still carries the mark. Again and again, since what is killed may just have forked.
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
  /** Kills everything that is left and resolves when it is dead. */
  sweep(): Promise<void>;
}

/** Without it, what a command left behind would live on after the server was killed. */
export function startWatchdog(group: number, mark: string): Watchdog {
  const bash = systemProgram('bash');
  const child = spawn(bash, ['--noprofile', '--norc', '-c', SCRIPT, 'watchdog', String(group), `${MARK}=${mark}`], {
    // A session of its own: Ctrl-C at our terminal must not take it away before its work is done.
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
