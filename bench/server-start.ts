import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { summarize, type Figures } from './measure.js';
import { withFolder } from './ours.js';

export interface StartsResult {
  /** An empty program, for comparison: the startup time of Node itself. */
  node: Figures;
  /** `countersign serve` until it is listening: with a new home folder, and with an existing one. */
  firstRun: Figures;
  laterRun: Figures;
}

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));

/** Cold starts (LIMIT5), alternating, each in its own process. */
export async function measureStarts(rounds: number): Promise<StartsResult> {
  const node: number[] = [];
  const firstRun: number[] = [];
  const laterRun: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    await withFolder(async (folder) => {
      node.push(await untilSaid(['-e', 'console.log(1); setInterval(() => {}, 1000)'], folder));
      const words = [
        command,
        'serve',
        '--json',
        '--port',
        '0',
        '--log-level',
        'silent',
        '--home',
        join(folder, 'home'),
      ];
      firstRun.push(await untilSaid(words, folder));
      laterRun.push(await untilSaid(words, folder));
    });
  }
  return { node: summarize(node), firstRun: summarize(firstRun), laterRun: summarize(laterRun) };
}

/** Microseconds until a program has printed anything. */
async function untilSaid(words: readonly string[], home: string): Promise<number> {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: home },
  });
  await once(child.stdout, 'data');
  const taken = Number(process.hrtime.bigint() - start) / 1000;
  child.kill('SIGTERM');
  await once(child, 'close');
  return taken;
}
