import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { isFullSize, sampled } from '../../../tests/support/scaled.js';
import { lifecycleOf, readCrashRecord, type CrashRecord } from './testing/crash-record.js';
import { runScenario } from './testing/crash-scenario.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-crash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Built from `testing/crash-child.ts`. */
const child = fileURLToPath(new URL('../dist/testing/bundle/crash-child.js', import.meta.url));

const LIMIT_MS = 120_000;
/** Processes killed by a signal at a random moment, including between probes and in the middle of a write. */
const RANDOM_KILLS = isFullSize ? Number(process.env['KILLS'] ?? 1000) : 1;

interface Place {
  file: string;
  diary: string;
}

/** At most two processes at a time: more would not be faster. */
const waiting: (() => void)[] = [];
let free = 2;

async function oneOfTwo(work: () => Promise<void>): Promise<void> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free -= 1;
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
}

let places = 0;

function newPlace(): Place {
  places += 1;
  return { file: join(folder, `${places}.db`), diary: join(folder, `${places}.diary`) };
}

/** A copy of the files that a dead process left, for another process to crash on. */
function copyOf(place: Place): Place {
  const copy = newPlace();
  for (const end of ['', '-wal', '-steps', '.audit-head']) {
    if (existsSync(place.file + end)) copyFileSync(place.file + end, copy.file + end);
  }
  if (existsSync(place.diary)) copyFileSync(place.diary, copy.diary);
  return copy;
}

/** Runs the scenario in a child process and kills it at the given moment, unless that is 0. */
async function runChild({ file, diary }: Place, dieAt: number): Promise<NodeJS.Signals | number | null> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [child, file, diary, String(dieAt)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    running.on('error', reject);
    running.on('exit', (code, signal) => resolve(signal ?? code));
  });
}

/** Kills the scenario from outside, `ms` after its first step. Resolves to how long it ran, and whether it was killed before its end. */
async function killAfter({ file, diary }: Place, ms: number): Promise<{ ranMs: number; isKilled: boolean }> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [child, file, diary, '-1'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let timer: NodeJS.Timeout | undefined;
    let startedAt = 0;
    running.once('message', () => {
      startedAt = performance.now();
      timer = setTimeout(() => running.kill('SIGKILL'), ms);
    });
    running.on('error', reject);
    running.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (signal === null && code !== 0) reject(new Error(`the scenario failed with ${String(code)}`));
      else resolve({ ranMs: performance.now() - startedAt, isKilled: signal === 'SIGKILL' });
    });
  });
}

function diaryOf({ diary }: Place): string[][] {
  if (!existsSync(diary)) return [];
  return readFileSync(diary, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
}

async function momentsAfter(place: Place): Promise<string[]> {
  const copy = copyOf(place);
  if ((await runChild(copy, 0)) !== 0) throw new Error('the scenario does not run');
  return diaryOf(copy).flatMap(([word, ...moment]) => (word === 'moment' ? [moment.join(' ')] : []));
}

/** Invariants after the last process has finished. `left`: the records that the killed processes left behind. */
function expectKept(place: Place, left: readonly CrashRecord[], after: CrashRecord): void {
  // No stored data is lost or changed, and the log continues where it stopped.
  for (const { events, messages } of left) {
    expect(after.events.slice(0, events.length)).toEqual(events);
    expect(after.messages.slice(0, messages.length)).toEqual(messages);
  }
  expect(after.events.map(({ id }) => id)).toEqual(after.events.map((_, at) => at + 1));
  expect([after.chatStatus, after.unfinished, after.audit.ok]).toEqual(['idle', 0, true]);

  // Everything that was confirmed to people is stored.
  const diary = diaryOf(place);
  const told = (word: string): string[] => diary.flatMap(([first, id = '']) => (first === word ? [id] : []));
  const kept = [...after.messages.map(({ id }) => id), ...after.approvals.map(({ id }) => id)];
  expect(kept).toEqual(expect.arrayContaining([...told('sent'), ...told('decided')]));
  expect(new Set(told('sent')).size).toBe(1);

  for (const call of after.calls) {
    expect(after.messages.filter(({ toolCallId }) => toolCallId === call.id).length).toBe(1);
    expect(runsOf(place, call.id)).toBeLessThanOrEqual(call.idempotent ? 1 + left.length : 1);
  }
}

function runsOf(place: Place, callId: string): number {
  return diaryOf(place).filter(([word, , id]) => word === 'ran' && id === callId).length;
}

/** The transcript contains the whole conversation once, and the events the whole lifecycle of each call. */
function expectWhole(place: Place, left: readonly CrashRecord[], after: CrashRecord): void {
  expect(spokenIn(after)).toEqual(['@Ada tidy up', '@Ben have a look', 'Well done.']);
  expect(after.calls.map(({ toolName }) => toolName)).toEqual(['remove', 'write', 'sync']);
  expect(after.approvals.map(({ status }) => status)).toEqual(['approved']);
  for (const call of after.calls) {
    const lifecycle = lifecycleOf(after, call.id);
    const wasCut = left.some((record) => lifecycleOf(record, call.id).at(-1) === 'TOOL_EXECUTION_STARTED');
    const asked = call.toolName === 'remove' ? ['TOOL_APPROVAL_REQUESTED', 'TOOL_APPROVED'] : [];
    const isLost = wasCut && !call.idempotent;
    const end = isLost ? 'TOOL_EXECUTION_FAILED' : 'TOOL_EXECUTION_SUCCEEDED';
    expect(lifecycle).toEqual([...asked, 'TOOL_EXECUTION_STARTED', end]);
    expect(call.outcomeUnknown).toBe(isLost);
    expect(call.result).toContain(isLost ? 'interrupted, outcome unknown' : `${call.toolName} done`);
    expect(runsOf(place, call.id)).toBeGreaterThanOrEqual(isLost ? 0 : 1);
  }
}

/** The turn crashed two processes, so it has ended with all its calls. */
function expectEnded(after: CrashRecord): void {
  expect(spokenIn(after)).toEqual(['@Ada tidy up', expect.stringContaining('interrupted 2 times')]);
  for (const call of after.calls) expect(lifecycleOf(after, call.id).at(-1)).toMatch(/SUCCEEDED|FAILED|DENIED/);
  expect(after.approvals.filter(({ status }) => status === 'pending')).toEqual([]);
}

function spokenIn({ messages }: CrashRecord): string[] {
  return messages.filter(({ role, toolCalls }) => role !== 'tool' && toolCalls === null).map(({ content }) => content);
}

/** Continues in this process to the end, and reads the result. */
async function finishHere(place: Place, left: readonly CrashRecord[]): Promise<CrashRecord> {
  await runScenario({ ...place, probe: () => undefined });
  const after = await readCrashRecord(place.file);
  expectKept(place, left, after);
  return after;
}

const moments = await momentsAfter(newPlace());

/** At full size every moment, otherwise `count` that are after different kinds of steps: what is before a step is after another one. */
function chosen<T>(all: readonly T[], count: number, kind: (each: T) => string): readonly T[] {
  if (isFullSize) return all;
  const after = all.filter((each) => kind(each).startsWith('after '));
  return sampled(
    after.filter((each, at) => after.findIndex((other) => kind(other) === kind(each)) === at),
    count,
  );
}

/**
 * What a call left behind if its process died after it ran and before its end was stored, and the steps of the next
 * process.
 */
async function dieAfterRun(nth: number) {
  const place = newPlace();
  const ends = moments.flatMap((moment, at) => (moment === 'after tool-execution' ? [at + 1] : []));
  await runChild(place, ends[nth] ?? 0);
  const left = await readCrashRecord(place.file);
  const again = (await momentsAfter(place)).flatMap((moment, at) =>
    moments.includes(moment) ? [] : [[at + 1, moment] as const],
  );
  return { place, left, again };
}

const found = [await dieAfterRun(0), ...(isFullSize ? [await dieAfterRun(1)] : [])];

describe('a process killed at any moment of a turn with three mixed tools', () => {
  it('[STORE3] can be killed at a moment before and after every step and every side effect', () => {
    const steps = new Set(moments.map((moment) => moment.replace(/^(?:before|after) /, '')));
    for (const step of steps) expect(moments).toEqual(expect.arrayContaining([`before ${step}`, `after ${step}`]));
    expect([...steps]).toEqual(
      expect.arrayContaining([
        'publish-message',
        'model-call',
        'tool-calls',
        'decision',
        'start-invocation',
        'tool-execution',
        'settle-invocation',
        'answer',
      ]),
    );
  });

  it.concurrent.each(
    chosen(
      moments.map((moment, at) => [at + 1, moment] as const),
      3,
      ([, moment]) => moment,
    ),
  )(
    '[STORE1] [STORE3] [CALL8] [CALL9] [TURN2] [TURN4] loses nothing and runs nothing twice: %i, %s',
    async (at) => {
      await oneOfTwo(async () => {
        const place = newPlace();
        expect(await runChild(place, at)).toBe('SIGKILL');
        const left = [await readCrashRecord(place.file)];
        expectWhole(place, left, await finishHere(place, left));
      });
    },
    LIMIT_MS,
  );

  it.concurrent.each(
    chosen(
      found.flatMap(({ place, left, again }) => again.map(([at, moment]) => ({ place, left, at, moment }))),
      2,
      ({ moment }) => moment,
    ),
  )(
    '[STORE3] [CALL8] loses nothing if the next process dies as well: $at, $moment',
    async ({ place, left, at, moment }) => {
      await oneOfTwo(async () => {
        const copy = copyOf(place);
        expect(await runChild(copy, at)).toBe('SIGKILL');
        const both = [left, await readCrashRecord(copy.file)];
        const after = await finishHere(copy, both);
        // Before it was resumed, the turn had crashed only one process.
        if (['before recover', 'after recover', 'before claim'].includes(moment)) expectWhole(copy, both, after);
        else expectEnded(after);
      });
    },
    LIMIT_MS,
  );

  it(
    `[STORE1] [STORE3] [CALL8] [CALL9] loses nothing and runs nothing twice: ${RANDOM_KILLS} kills at random moments`,
    async () => {
      const { ranMs: wholeMs, isKilled } = await killAfter(newPlace(), LIMIT_MS);
      expect(isKilled).toBe(false);
      async function killOnce(): Promise<void> {
        for (;;) {
          const place = newPlace();
          if (!(await killAfter(place, Math.random() * wholeMs)).isKilled) continue;
          const left = [await readCrashRecord(place.file)];
          expectWhole(place, left, await finishHere(place, left));
          return;
        }
      }
      await Promise.all(Array.from({ length: RANDOM_KILLS }, () => oneOfTwo(killOnce)));
      process.stdout.write(`${RANDOM_KILLS} kills at random moments of a turn\n`);
    },
    RANDOM_KILLS * LIMIT_MS,
  );
});
