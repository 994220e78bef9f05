import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, watch } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isFullSize, scaled } from '../../../../tests/support/scaled.js';
import { applyPlan } from './apply-plan.js';
import { readRestored } from './restored.js';
import { readDiskClock } from '../files/disk-clock.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import { sweepFolders } from './sweep-folders.js';
import { planLayer } from '../plan/plan-layer.js';
import { removeTree } from '../files/remove-tree.js';

/** Built from `testing/apply-layer.ts`: a bundle loads with a third of the CPU. */
const APPLY_LAYER = fileURLToPath(new URL('../../../countersign/dist/testing/bundle/apply-layer.js', import.meta.url));

describe.skipIf(process.platform !== 'linux')('applying a draft', () => {
  let top: string;
  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), 'apply-'));
  });
  // Not `rm`: only root can empty a read-only folder with it.
  afterEach(() => removeTree(top));

  const FILES = 12;

  /** A folder and a draft that replaces, adds and removes files and folders in it, and changes modes. */
  async function prepare(place: string, root: string): Promise<{ real: string; root: string; upper: string }> {
    const [real, upper] = [join(place, 'real'), join(root, 'upper')];
    for (const folder of ['changed', 'again/deep', 'closed']) await mkdir(join(real, folder), { recursive: true });
    for (const folder of ['changed', 'again', 'closed', 'new/deep']) {
      await mkdir(join(upper, folder), { recursive: true });
    }
    for (let count = 0; count < FILES; count += 1) {
      await writeFile(join(real, 'changed', `f${count}`), `old ${count}`, { mode: 0o640 });
      await utimes(join(real, 'changed', `f${count}`), 1_000, 1_000);
      await writeFile(join(upper, 'changed', `f${count}`), `new ${count}`, { mode: 0o600 });
      await writeFile(join(upper, 'changed', `g${count}`), `added ${count}`);
      await writeFile(join(real, 'again', `f${count}`), `old ${count}`);
      await writeFile(join(real, 'again', 'deep', `f${count}`), `deep ${count}`);
      await writeFile(join(upper, 'new', 'deep', `f${count}`), `deep ${count}`);
    }
    // A copy on another disk keeps times only to the microsecond.
    for (const path of readdirSync(join(real, 'again'), { recursive: true, encoding: 'utf8' }))
      await utimes(join(real, 'again', path), 1_000, 1_000);
    await symlink('nowhere', join(real, 'again', 'link'));
    await symlink('nowhere', join(upper, 'link'));
    await writeFile(join(real, 'closed', 'f'), 'old');
    await utimes(join(real, 'closed', 'f'), 1_000, 1_000);
    await writeFile(join(upper, 'closed', 'f'), 'new');
    await chmod(join(real, 'closed'), 0o555);
    await chmod(join(upper, 'closed'), 0o500);
    return { real, root, upper };
  }

  /** Everything in a folder: kinds, modes, times of files, and content. */
  function stateOf(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((path) => {
        const stats = lstatSync(join(folder, path));
        if (stats.isDirectory()) return `${path}/ ${stats.mode.toString(8)}`;
        if (stats.isSymbolicLink()) return `${path} -> ${readlinkSync(join(folder, path))}`;
        return `${path} ${stats.mode.toString(8)} ${stats.mtimeMs} ${readFileSync(join(folder, path), 'utf8')}`;
      });
  }

  const start = (root: string, upper: string, real: string) =>
    spawn(process.execPath, [APPLY_LAYER, root, upper, real], { stdio: ['ignore', 'ignore', 'inherit'] });

  it.each([
    ['on one disk', undefined],
    ['from another disk', '/dev/shm'],
  ])(
    '[CHANGE2.1] a process that is killed while it applies a draft %s leaves all of its changes or none',
    { timeout: isFullSize ? 3_600_000 : 300_000 },
    async (_name, disk) => {
      const rounds = isFullSize ? scaled(100) : 3;
      const seen = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        const place = await mkdtemp(join(top, 'round-'));
        const drafts = await mkdtemp(join(disk ?? top, 'drafts-'));
        try {
          // As if by a process that no longer exists.
          const root = join(drafts, `draft-${hostname()}-4194303-${crypto.randomUUID()}`);
          await mkdir(root);
          const { real, upper } = await prepare(place, root);
          const before = stateOf(real);
          const child = start(root, upper, real);
          const ended = once(child, 'exit');
          // Kills it after a certain number of steps; in the last round, lets it finish.
          const steps = Math.floor(((3 * FILES + 5) * round) / (rounds - 1));
          await untilExists(join(root, 'journal.json'), child);
          while (existsSync(join(root, 'journal.json')) && countLines(join(root, 'steps')) < steps);
          if (round < rounds - 1) child.kill('SIGKILL');
          await ended;
          await sweepFolders({ folder: drafts, flock: 'flock' });
          expect(existsSync(root)).toBe(false);
          const after = stateOf(real);
          const whole = after.join('\n') === before.join('\n') ? 'before' : 'after';
          seen.add(whole);
          expect(whole === 'before' ? AFTER : withoutTimes(after)).toEqual(AFTER);
          expect(readdirSync(real, { recursive: true, encoding: 'utf8' }).filter(isOurs)).toEqual([]);
        } finally {
          for (const path of [place, drafts]) await removeTree(path);
        }
      }
      expect([...seen].toSorted()).toEqual(['after', 'before']);
    },
  );

  const isOurs = (path: string): boolean => path.includes('.countersign-');
  const withoutTimes = (lines: readonly string[]): string[] =>
    lines.map((line) => line.replace(/^(\S+ 100\d+) [\d.]+ /, '$1 '));
  const numbers = Array.from({ length: FILES }, (_, count) => count);
  const AFTER = [
    'again/ 40755',
    'changed/ 40755',
    ...numbers.map((count) => `changed/f${count} 100600 new ${count}`),
    ...numbers.map((count) => `changed/g${count} 100644 added ${count}`),
    'closed/ 40500',
    'closed/f 100644 new',
    'new/ 40755',
    'new/deep/ 40755',
    ...numbers.map((count) => `new/deep/f${count} 100644 deep ${count}`),
    'link -> nowhere',
  ].toSorted();

  const planned = async (real: string, upper: string) =>
    (
      await planLayer({
        upper,
        workingDirectory: real,
        since: { ns: BigInt(Date.now() + 60_000) * 1_000_000n, steadyNs: { before: 0n, after: 0n } },
        stillSeen: (paths) => Promise.resolve(paths.map((path) => !path.startsWith('again/'))),
        wasRemoved: () => false,
        keepRemoved: false,
      })
    ).plan;

  it.each<[string, (real: string) => Promise<unknown>]>([
    ['a file that it replaces has changed', (real) => appendFile(join(real, 'changed/f3'), 'more')],
    ['a file that it replaces is gone', (real) => rm(join(real, 'changed/f3'))],
    ['a file that it adds exists', (real) => writeFile(join(real, 'changed/g3'), '')],
    ['a folder that it adds exists', (real) => mkdir(join(real, 'new'))],
    ['a file that it removes has changed', (real) => appendFile(join(real, 'again/f3'), 'more')],
    ['a folder that it removes has a new file', (real) => writeFile(join(real, 'again/deep/more'), '')],
    ['a folder that it removes has one file less', (real) => rm(join(real, 'again/deep/f3'))],
    [
      'a parent folder is another one',
      async (real) => {
        await rm(join(real, 'changed'), { recursive: true });
        await mkdir(join(real, 'changed'));
      },
    ],
    ['a parent folder has another mode', (real) => chmod(join(real, 'changed'), 0o700)],
    [
      'a parent folder is a symlink',
      async (real) => {
        await rm(join(real, 'changed'), { recursive: true });
        await symlink('again', join(real, 'changed'));
      },
    ],
  ])('[CHANGE2.1] changes nothing if, after it was planned, %s', async (_name, meanwhile) => {
    await mkdir(join(top, 'draft'));
    const { real, root, upper } = await prepare(top, join(top, 'draft'));
    const plan = await planned(real, upper);
    await meanwhile(real);
    const before = stateOf(real);
    await expect(applyPlan({ plan, workingDirectory: real, upper, root })).rejects.toThrow(ChangeConflict);
    expect(stateOf(real)).toEqual(before);
  });

  it('[CHANGE2.1] undoes all steps if one of them fails', async () => {
    await mkdir(join(top, 'draft'));
    const { real, root, upper } = await prepare(top, join(top, 'draft'));
    const plan = await planned(real, upper);
    const before = stateOf(real);
    // A file of the draft is missing, which nothing checks before the last steps.
    await rm(join(upper, 'link'));
    await expect(applyPlan({ plan, workingDirectory: real, upper, root })).rejects.toThrow('ENOENT');
    expect(stateOf(real)).toEqual(before);
    expect(existsSync(join(root, 'journal.json'))).toBe(false);
  });

  it.each([
    ['on one disk', undefined],
    ['from another disk', '/dev/shm'],
  ])('[RUN19.3] what a rollback restores is no conflict, and the draft has its files again (%s)', async (_, disk) => {
    const draft = await mkdtemp(join(disk ?? top, 'drafts-'));
    onTestFinished(() => removeTree(draft));
    const { real, root, upper } = await prepare(top, draft);
    await chmod(upper, 0o755);
    const since = await readDiskClock(join(root, 'clock'));
    const plan = async () => {
      const rest = { wasRemoved: () => false, keepRemoved: false, restored: await readRestored(root) };
      const stillSeen = (paths: readonly string[]) => Promise.resolve(paths.map((path) => !path.startsWith('again/')));
      return (await planLayer({ upper, workingDirectory: real, since, stillSeen, ...rest })).plan;
    };
    const [before, drafted] = [stateOf(real), stateOf(upper)];
    const last = () => Promise.reject(new Error('the last step failed'));
    for (let times = 0; times < 2; times += 1) {
      const change = { plan: await plan(), workingDirectory: real, upper, root };
      await expect(applyPlan(change, undefined, last)).rejects.toThrow('the last step failed');
      expect([stateOf(real), stateOf(upper)]).toEqual([before, drafted]);
    }
    await appendFile(join(real, 'changed/f3'), 'more');
    await writeFile(join(real, 'again/more'), '');
    const conflict = await plan().catch((error: unknown) => error);
    expect(conflict instanceof ChangeConflict && conflict.conflicts.toSorted()).toEqual(['again/more', 'changed/f3']);
  });
});

/** Without polling, so that the process which creates it gets the processor. Also resolves when that process has ended. */
async function untilExists(file: string, child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  const watcher = watch(dirname(file));
  try {
    while (!existsSync(file) && child.exitCode === null) await Promise.race([once(watcher, 'change'), ended]);
  } finally {
    watcher.close();
  }
}

function countLines(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}
