import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findSandbox } from 'countersign';
import { summarize, type Figures } from './measure.js';
import { withFolder } from './ours.js';

/** `countersign run` next to the same program alone. Each run is its own process. */
export interface RunsResult {
  /** Until a program has written its first line. */
  alone: Figures;
  drafted: Figures;
  /** The time of `npm test` of the fixture `words`, measured by its caller: alone, and in a run. */
  testAlone: Figures;
  testDrafted: Figures;
  /** From the last line of a program that changed files until its approval waits. */
  planned: { readonly changed: number; readonly of: number; readonly us: number }[];
}

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
const HELLO = ['node', '-e', 'console.log("up"); process.exit()'];
const MANY_FILES = 1_000_000;

/** Undefined without a sandbox. `rounds`: alternating starts of a program alone and in a run. */
export async function runsSuite(rounds: number, isQuick: boolean): Promise<RunsResult | undefined> {
  if ((await findSandbox()).kind !== 'bubblewrap') {
    console.warn('There is no sandbox for runs.');
    return undefined;
  }
  return await withFolder(async (folder) => {
    const home = join(folder, 'home');
    const env = { PATH: process.env['PATH'], HOME: folder, COUNTERSIGN_HOME: home };
    const words = [command, 'serve', '--json', '--no-open', '--port', '0', '--log-level', 'silent'];
    const server = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'], env });
    try {
      await once(server.stdout, 'data');
      const project = makeProject(folder, 'words');
      await finish(start(['worlds', 'add', 'Words', '--folder', project], { env, cwd: project }));
      const run = (program: readonly string[]): Started => start(['run', '--', ...program], { env, cwd: project });
      const times: Record<'alone' | 'drafted' | 'testAlone' | 'testDrafted', number[]> = {
        ...{ alone: [], drafted: [], testAlone: [], testDrafted: [] },
      };
      for (let round = 0; round < rounds + 2; round += 1) {
        const alone = await firstLine(() => spawn('node', HELLO.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env }));
        const drafted = await firstLine(() => run(HELLO));
        // The first rounds fill the caches of the disk.
        if (round < 2) continue;
        times.alone.push(alone);
        times.drafted.push(drafted);
      }
      const timed = ['node', 'time.mjs'];
      for (let round = 0; round < 5; round += 1) {
        const alone = spawn('node', timed.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env, cwd: project });
        times.testAlone.push(Number(await finish(alone)));
        times.testDrafted.push(Number(await finish(run(timed))));
      }
      const few = await plan('few', 1_000, 1_000);
      const many = await plan('many', 10, isQuick ? MANY_FILES / 50 : MANY_FILES);
      const figures = (name: keyof typeof times): Figures => summarize(times[name]);
      return {
        ...{ alone: figures('alone'), drafted: figures('drafted') },
        ...{ testAlone: figures('testAlone'), testDrafted: figures('testDrafted'), planned: [few, many] },
      };
    } finally {
      server.kill('SIGTERM');
      await once(server, 'close');
    }

    async function plan(name: string, changed: number, of: number): Promise<RunsResult['planned'][number]> {
      const inner = join(folder, name);
      for (let part = 0; part < of / 1_000; part += 1) {
        mkdirSync(join(inner, `part-${part}`), { recursive: true });
        for (let file = 0; file < 1_000; file += 1)
          writeFileSync(join(inner, `part-${part}`, `${file}.txt`), 'before\n');
      }
      await finish(start(['worlds', 'add', name, '--folder', inner], { env, cwd: inner }));
      const script = `for i in $(seq 0 ${changed - 1}); do echo after > part-0/$i.txt; done; echo done`;
      const child = start(['run', '--', 'bash', '-c', script], { env, cwd: inner });
      await once(child.stdout, 'data');
      const began = process.hrtime.bigint();
      // It says where to sign.
      await once(child.stderr, 'data');
      const us = Number(process.hrtime.bigint() - began) / 1000;
      child.kill('SIGTERM');
      await once(child, 'close');
      return { changed, of, us };
    }
  });
}

type Started = ChildProcessByStdio<null, Readable, Readable>;

function start(words: readonly string[], { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }): Started {
  return spawn(process.execPath, [command, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
}

async function firstLine(begin: () => Started): Promise<number> {
  const began = process.hrtime.bigint();
  const child = begin();
  await once(child.stdout, 'data');
  const us = Number(process.hrtime.bigint() - began) / 1000;
  await once(child, 'close');
  return us;
}

/** Its output, once it has ended. */
async function finish(child: Started): Promise<string> {
  let [said, wrong] = ['', ''];
  child.stdout.on('data', (text) => (said += String(text)));
  child.stderr.on('data', (text) => (wrong += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the process exited with ${code}: ${wrong}`);
  return said;
}

/** A package whose tests read and write files, start processes and count words. */
function makeProject(folder: string, name: string): string {
  const project = join(folder, name);
  mkdirSync(join(project, 'test'), { recursive: true });
  const manifest = { name, version: '1.0.0', type: 'module', scripts: { test: 'node --test' } };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  for (let file = 0; file < 6; file += 1) writeFileSync(join(project, 'test', `words-${file}.test.js`), TEST);
  writeFileSync(join(project, 'time.mjs'), TIME);
  return project;
}

const TEST = `
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import assert from 'node:assert';
test('counts words in many files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'words-'));
  const text = 'one two three four five six seven\\n'.repeat(2_000);
  for (let i = 0; i < 300; i += 1) writeFileSync(join(folder, i + '.txt'), text);
  let words = 0;
  for (const name of readdirSync(folder)) words += readFileSync(join(folder, name), 'utf8').split(/\\s+/).length - 1;
  assert.equal(words, 300 * 2_000 * 7);
  rmSync(folder, { recursive: true });
});
test('starts programs', () => {
  for (let i = 0; i < 10; i += 1) assert.equal(execFileSync('sh', ['-c', 'echo hi'], { encoding: 'utf8' }), 'hi\\n');
});
`;

const TIME = `
import { spawnSync } from 'node:child_process';
const began = process.hrtime.bigint();
const { status } = spawnSync('npm', ['test'], { stdio: 'ignore' });
if (status !== 0) process.exit(1);
console.log(Number(process.hrtime.bigint() - began) / 1000);
`;
