import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { errorMessage } from '@countersign/core/ports';
import { SYSTEM_PATH, systemProgram } from '@countersign/changes';

/** The environment variable that marks every process of one command if there is no sandbox. */
export const MARK = 'COUNTERSIGN_CALL';

/**
 * Waits until stdin closes, which also happens when we are killed, and then kills what is left: the process group and every process with
 * the mark. Repeats, because a killed process may have just forked. Then removes the folder, if there is one.
 */
const SCRIPT = `
read -r _
kill -KILL -- "-$1" 2>/dev/null
for round in {1..100}; do
  found=$(grep -lszxF -- "$2" /proc/[0-9]*/environ 2>/dev/null)
  [[ -n $found ]] || break
  for file in $found; do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
done
[[ -z $3 ]] || rm -rf -- "$3"
`;

export interface Watchdog {
  /** Kills all remaining processes, removes the folder, and resolves when this is done. */
  sweep(): Promise<void>;
}

/** Starts a watchdog: without it, a command's processes, and the folder made for them, would outlive a killed server. */
export function startWatchdog(group: number, mark: string, folder = ''): Watchdog {
  const bash = systemProgram('bash');
  const about = [String(group), `${MARK}=${mark}`, folder];
  const child = spawn(bash, ['--noprofile', '--norc', '-c', SCRIPT, 'watchdog', ...about], {
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

/** The time between closing stdin, which tells a program to exit, and killing it. */
const GRACE_MS = 300;

/** Ends a program that runs as long as its stdin is open, and everything that it started. */
export async function endProgram(
  child: ChildProcess,
  exited: Promise<string>,
  watchdog: Watchdog | undefined,
): Promise<void> {
  child.stdin?.end();
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((done) => {
    timer = setTimeout(done, GRACE_MS);
  });
  await Promise.race([exited, grace]);
  clearTimeout(timer);
  // In a sandbox, everything dies with the process we started; without one, the watchdog kills the rest.
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await Promise.all([exited, watchdog?.sweep()]);
  for (const stream of child.stdio) stream?.destroy();
}

/** How a program ended, such as `exited with code 1`. */
export async function exitOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code === null ? `was killed by ${signal ?? 'a signal'}` : `exited with code ${code}`;
  } catch (error) {
    return `could not be started: ${errorMessage(error)}`;
  }
}
