import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunAs } from './managed-scene.js';

export interface RunningAgent {
  readonly ended: Promise<void>;
  /** Whether it ended by itself. */
  endedByItself(): boolean;
  /** Whether it ended with an error, such as that it refused to start. */
  failed(): boolean;
  output(): string;
  kill(): void;
}

/** Starts an agent in a process group of its own, so that nothing it started outlives the row. */
export function runAgent(
  bin: string,
  words: readonly string[],
  options: {
    cwd: string;
    env: Readonly<Record<string, string>>;
    limitMs: number;
    runAs?: RunAs | undefined;
    input?: string | undefined;
  },
): RunningAgent {
  const { cwd, env, limitMs, runAs, input } = options;
  const child = spawn(bin, words, { cwd, env, ...runAs, detached: true, stdio: 'pipe' });
  // An agent that ends early closes it.
  child.stdin.on('error', () => undefined).end(input);
  let output = '';
  const keep = (chunk: Buffer): void => void (output = `${output}${chunk.toString()}`.slice(-10_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let wasKilled = false;
  const killGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Every process of the group has ended.
    }
  };
  const timer = setTimeout(() => {
    wasKilled = true;
    killGroup();
  }, limitMs);
  const ended = Promise.race([
    once(child, 'exit'),
    once(child, 'error').then(([error]) => keep(Buffer.from(String(error)))),
  ]).then(() => {
    clearTimeout(timer);
    killGroup();
  });
  const failed = (): boolean => !wasKilled && child.exitCode !== 0;
  return { ended, endedByItself: () => !wasKilled, failed, output: () => output, kill: killGroup };
}
