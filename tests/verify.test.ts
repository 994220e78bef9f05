import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PARTS } from '../scripts/verify/parts.mjs';
import { describeMachine, leftOutIn, writeReport } from '../scripts/verify/report.mjs';
import { root } from './support/source-modules.js';

const figuresOf = (name: string, output: string): readonly string[] | undefined =>
  PARTS.find((part) => part.name === name)?.figures(output);

it('without the suite, the parts of a verification take three hours at most, and the size of each can be set', () => {
  const others = PARTS.filter(({ name }) => name !== 'suite');
  expect(others.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(180);
  for (const key of ['name', 'what'] as const) expect(new Set(PARTS.map((part) => part[key])).size).toBe(PARTS.length);
  expect(new Set(PARTS.map(({ size }) => size.variable)).size).toBe(PARTS.length);
});

it('reads figures from the output of each kind of part', () => {
  expect(figuresOf('suite', '\n2 skipped\n\n8697 passed, 0 failed\n')).toEqual(['8697 passed, 0 failed, 2 skipped']);
  expect(figuresOf('install', 'packed 10\nNode v20.1.0: 25 packages, 30 MB\n')).toEqual([
    'Node v20.1.0: 25 packages, 30 MB',
  ]);
  expect(figuresOf('drills', 'drilled: codex 1.2.3: gated\n1 as expected, 0 failed, 0 skipped\n')).toEqual([
    'codex 1.2.3: gated',
    '1 as expected, 0 failed, 0 skipped',
  ]);
  const tried = 'claude: 2 attempts from inside a run, 0 got through\ntried files (2): reads a key; lists | the home\n';
  expect(figuresOf('agents', tried)).toEqual(['claude: 2 attempts from inside a run, 0 got through']);
  expect(PARTS.find(({ name }) => name === 'agents')?.lists?.(tried)).toEqual([
    ['files', '2', 'reads a key; lists | the home'],
  ]);
  expect(figuresOf('run-kills', `100 kills of a run's server: {"applied":99}\n\n3 passed, 0 failed\n`)).toEqual([
    `100 kills of a run's server: {"applied":99}`,
    '3 passed, 0 failed',
  ]);
  expect(
    figuresOf('red-team', 'red team (sqlite): 9 attempts, 0 ran without approval (approve 9)\n\n3 passed, 1 failed\n'),
  ).toEqual(['(sqlite): 9 attempts, 0 ran without approval', '3 passed, 1 failed']);
  const soak = { turns: 8, seconds: 7, kills: 2, answerMs: { median: 3, p99: 9 } };
  expect(figuresOf('soak', `soak: ${JSON.stringify(soak)}\n`)).toEqual([
    '8 turns in 7 s, 2 kills, answers: median 3 ms, p99 9 ms',
  ]);
  expect(figuresOf('histories', '9 histories, 0 failed\na lock removed: noticed after 3 histories\n')).toEqual([
    '9 histories, 0 failed',
    'a lock removed: noticed after 3 histories',
  ]);
  expect(figuresOf('benchmarks', '9 of 10 targets met; missed: LIMIT2 growth\n')).toEqual([
    '9 of 10 targets met; missed: LIMIT2 growth',
  ]);
  expect(leftOutIn('LEFT OUT: no Chromium\nskipped: codex\nLEFT OUT: no Chromium\n')).toEqual(['no Chromium', 'codex']);
});

it('the report keeps rows of earlier runs on the same machine', () => {
  const [one, two, ...others] = PARTS;
  if (one === undefined || two === undefined) throw new Error('there are too few parts');
  const parts = [one, two];
  expect(others).not.toEqual([]);
  const result = { commit: 'a1', size: '1', ok: true, times: 1, seconds: 61, figures: ['7 passed'], leftOut: ['curl'] };
  const lists = [['files', '2', 'reads a key | lists the home']];
  const machine = describeMachine();
  const first = writeReport({ parts, results: { [one.name]: { ...result, lists } }, machine, before: '' });
  expect(first).toContain(`| ${one.name} | ${one.what} | a1 | ${one.size.variable}=1 | 1 min 1 s | passed; 7 passed |`);
  expect(first).toContain(`| ${two.name} | ${two.what} |  |  |  | not run |`);
  expect(first).toContain(`- ${one.name}: curl`);
  const results = { [two.name]: { ...result, commit: 'b2', ok: false, leftOut: [] } };
  const second = writeReport({ parts, results, machine, before: first });
  expect(second).toContain(`${one.size.variable}=1 | 1 min 1 s | passed`);
  expect(second).toContain('| b2 |');
  for (const report of [first, second])
    expect(report).toContain(`| ${one.name}: files | 2 | reads a key \\| lists the home |`);
  expect(second).toContain('**failed**');
  expect(second).toContain(`- ${one.name}: curl`);
  expect(writeReport({ parts, results, machine: 'another', before: first })).not.toContain('| a1 |');
});

it('an interrupted verification continues where it stopped', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'countersign-verify-'));
  onTestFinished(() => rmSync(checkout, { recursive: true, force: true }));
  for (const folder of ['scripts/verify', 'docs']) mkdirSync(join(checkout, folder), { recursive: true });
  for (const file of ['verify.mjs', 'verify/report.mjs'])
    cpSync(join(root, 'scripts', file), join(checkout, 'scripts', file));
  // The second time, the part fails, until a file exists.
  const script = `const fs = require('node:fs'); fs.appendFileSync('ran', 'x'); process.stdout.write('7 done'); process.exit(fs.statSync('ran').size === 2 ? 1 : 0)`;
  writeFileSync(
    join(checkout, 'scripts', 'verify', 'parts.mjs'),
    `export const PARTS = [{ name: 'quick', what: 'a try', minutes: 1, size: { variable: 'TIMES', full: '2' },
      run: (size) => ({ command: [process.execPath, '-e', ${JSON.stringify(script)}], times: Number(size) }),
      figures: (output) => [output] }];`,
  );
  const verify = (...words: string[]): number | null =>
    spawnSync(process.execPath, [join(checkout, 'scripts', 'verify.mjs'), ...words], { cwd: checkout }).status;
  const ran = (): number => readFileSync(join(checkout, 'ran'), 'utf8').length;
  expect([verify('--only', 'nothing'), verify(), ran()]).toEqual([1, 1, 2]);
  // They have to succeed in a row.
  expect([verify(), ran()]).toEqual([0, 4]);
  expect([verify(), ran()]).toEqual([0, 4]);
  expect([verify('--fresh'), ran()]).toEqual([0, 6]);
  expect(readFileSync(join(checkout, 'docs', 'verify.md'), 'utf8')).toContain('passed; 7 done; 7 done |');
});
