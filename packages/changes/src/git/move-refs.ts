import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { findSystemProgram } from '../files/system-program.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import type { MovedRef } from './git-change.js';
import { inRepository, readRefs } from './refs.js';
import { CLEAN_ENVIRONMENT, GitFailed, SAFE_SETTINGS } from './run-git.js';

/** Refs that are locked and checked, but not moved yet. Git releases the locks if this process dies. */
export interface PreparedRefs {
  /** Moves all of them. */
  commit(): Promise<void>;
  abort(): Promise<void>;
  /** The process that holds the locks. If we are killed, it ends by itself, after what it has begun. */
  readonly pid?: number;
}

/** The refs that aren't where the change expects them. */
export async function findMovedRefs(folder: string, refs: readonly MovedRef[]): Promise<string[]> {
  if (refs.length === 0) return [];
  const now = await readRefs(folder);
  return refs.filter(({ name, from }) => now.refs[name] !== from || name in now.symbolic).map(({ name }) => name);
}

/** Rejects with `ChangeConflict` if somebody else has moved one of the refs, or is about to. */
export async function prepareRefs(folder: string, refs: readonly MovedRef[]): Promise<PreparedRefs> {
  if (refs.length === 0) return { commit: () => Promise.resolve(), abort: () => Promise.resolve() };
  const moved = await findMovedRefs(folder, refs);
  if (moved.length > 0) throw new ChangeConflict(moved);
  const program = findSystemProgram('git');
  if (program === undefined) throw new GitFailed('Git is not installed in a system folder');
  const words = [
    ...SAFE_SETTINGS,
    ...inRepository(folder),
    'update-ref',
    '--no-deref',
    '-m',
    'run: apply',
    '--stdin',
    '-z',
  ];
  // In a session of its own, so that Ctrl-C in our terminal doesn't reach it.
  const child = spawn(program, words, { cwd: '/', env: CLEAN_ENVIRONMENT, detached: true, stdio: 'pipe' });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let answers = '';
  let said = '';
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)));
  child.stdout.setEncoding('utf8');
  const answered = async (answer: string): Promise<boolean> =>
    await Promise.race([
      ended.then(() => answers.includes(answer)),
      new Promise<true>((resolve) => {
        const look = (text = ''): void => {
          answers += text;
          if (answers.includes(answer)) resolve(true);
        };
        child.stdout.on('data', look);
        look();
      }),
    ]);
  child.stdin.write(`start\0${refs.map(instruction).join('')}prepare\0`);
  if (!(await answered('prepare: ok'))) {
    const others = await findMovedRefs(folder, refs);
    // Nobody has moved one yet, but somebody holds a lock, or has a branch where a folder of branches must be.
    if (others.length > 0 || /lock/i.test(said)) throw new ChangeConflict(others.length > 0 ? others : namesOf(refs));
    throw new GitFailed(said.trim());
  }
  return {
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    async commit() {
      child.stdin.end('commit\0');
      if (!(await answered('commit: ok'))) throw new GitFailed(said.trim());
      await ended;
    },
    async abort() {
      child.stdin.end('abort\0');
      await ended;
    },
  };
}

function namesOf(refs: readonly MovedRef[]): string[] {
  return refs.map(({ name }) => name);
}

function instruction({ name, from, to }: MovedRef): string {
  const none = '0'.repeat((from ?? to ?? '').length);
  return to === undefined ? `delete ${name}\0${from ?? none}\0` : `update ${name}\0${to}\0${from ?? none}\0`;
}

const MOST_TRIES = 400;
const WAIT_MS = 25;

/** Waits for the process of an earlier `prepareRefs`: it may have been told to move the refs just before we were killed. */
export async function waitForUpdate(pid: number): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!words.includes('update-ref')) return;
    await setTimeout(WAIT_MS);
  }
}
