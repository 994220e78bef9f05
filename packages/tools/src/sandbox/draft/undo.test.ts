import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, watch } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Undos, UndoState } from '@countersign/core/ports';
import { describeEffect } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize } from '../../../../../tests/support/scaled.js';
import { shellCmd } from '../../shell/shell-cmd.js';
import type { ShellOptions } from '../../shell/shell-options.js';
import { findSandboxes } from '../../testing/find-sandboxes.js';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { tryTool } from '../../testing/try-tool.js';
import { sweepFolders } from '@countersign/changes';

/** With copies only at full size. */
const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);
/** Built from `testing/dying-undo.ts`. */
const program = fileURLToPath(new URL('../../../../countersign/dist/testing/bundle/dying-undo.js', import.meta.url));

const SETUP =
  'mkdir -p d/deep shut; for i in $(seq 4); do echo old $i > f$i; echo $i > d/deep/$i; done; ln -s f1 l; chmod 640 f2; ' +
  'echo s > shut/s; chmod 500 shut; echo was a file > kind; touch -d 2001-02-03 f1 d/deep/1';
const COMMAND =
  'for i in $(seq 4); do echo new $i > f$i; echo $i > g$i; done; rm -r d; mkdir -p e/x; echo e > e/x/y; ln -sfn f2 l; ' +
  'rm kind; mkdir kind; echo now a folder > kind/k; chmod 755 shut; echo t > shut/s; ln g1 hard';

describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[CHANGE10] undoing a command ($drafts)',
  ({ sandbox }) => {
    if (sandbox.kind !== 'bubblewrap') return;
    let folder: TestFolder;
    let drafts: TestFolder;
    let options: ShellOptions;
    beforeEach(async () => {
      folder = await makeFolder();
      drafts = await makeFolder();
      options = { sandbox: { ...sandbox, drafting: { ...sandbox.drafting, folder: drafts.path } } };
    });
    afterEach(async () => {
      await folder.remove();
      await drafts.remove();
    });

    const sh = (command: string, cwd: string = folder.path): string =>
      execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
    /** Kinds, links, modes, times of files, and content. */
    const state = (path: string = folder.path): string =>
      sh(
        `find . -mindepth 1 -printf '%P %y %l %m\\n' | sort; find . -type f -printf '%P %T@\\n' | sort; find . -type f | sort | xargs -r cat`,
        path,
      );
    const run = async (command: string, id: string, about: Partial<ShellOptions> = {}): Promise<Undos> => {
      const tool = shellCmd({ ...options, ...about });
      const tried = await tryTool(tool, { command }, { workingDirectory: folder.path, invocationId: id });
      expect(tried.ok).toBe(true);
      if (tool.undos === undefined) throw new Error('nothing can be undone');
      return tool.undos;
    };
    const hashOf = (found: UndoState): string => (found.kind === 'ready' ? found.effect.effectHash : found.kind);

    it('[CHANGE10.1] [CHANGE10.2] reverts everything that a command changed, once, and shows that before', async () => {
      sh(SETUP);
      const before = state();
      const undos = await run(COMMAND, 'call');
      const after = state();
      expect(after).not.toBe(before);
      const found = await undos.preview('call');
      expect(state()).toBe(after);
      expect(found.kind === 'ready' ? describeEffect(found.effect) : found).toBe(
        'Removes 1 file and 2 folders with 2 files, changes 5 files, 1 link and 1 folder, moves 4 files, adds 1 file and 2 folders',
      );
      expect(await undos.undo('call', 'ff'.repeat(32))).toMatchObject({ kind: 'ready' });
      expect(state()).toBe(after);
      expect((await undos.list()).map(({ invocationId }) => invocationId)).toEqual(['call']);
      expect(await undos.undo('call', hashOf(found))).toBe('done');
      expect(state()).toBe(before);
      expect(await undos.undo('call', hashOf(found))).toEqual({ kind: 'undone' });
      expect(await undos.preview('call')).toEqual({ kind: 'undone' });
      expect(await undos.list()).toEqual([]);
      expect(await undos.preview('other')).toEqual({ kind: 'gone' });
    });

    it('[CHANGE10.2] changes nothing if someone has changed one of the paths since', async () => {
      sh(SETUP);
      const undos = await run(COMMAND, 'call');
      const hash = hashOf(await undos.preview('call'));
      await appendFile(join(folder.path, 'f3'), 'more\n');
      await mkdir(join(folder.path, 'd'));
      await writeFile(join(folder.path, 'e/x/z'), 'new');
      const changed = state();
      const conflict = { kind: 'conflict', paths: expect.arrayContaining(['d', 'e/x/z', 'f3']) as string[] };
      expect(await undos.preview('call')).toEqual(conflict);
      expect(await undos.undo('call', hash)).toEqual(conflict);
      expect(state()).toBe(changed);
    });

    it('[CHANGE10.2] names the changed paths inside a folder, or only the folder if there are many', async () => {
      const undos = await run(
        'mkdir -p e/deep; for i in $(seq 30); do echo $i > e/$i; done; echo d > e/deep/d',
        'call',
      );
      const paths = async (): Promise<readonly string[]> => {
        const found = await undos.preview('call');
        return found.kind === 'conflict' ? found.paths.toSorted() : [];
      };
      sh('echo more >> e/1; rm e/2; rm -r e/deep; mkdir -p e/new/inner; touch e/new/inner/file');
      expect(await paths()).toEqual(['e/1', 'e/2', 'e/deep', 'e/new']);
      sh('for i in $(seq 30); do echo more >> e/$i; done');
      expect(await paths()).toEqual(['e']);
      sh('rm -r e');
      expect(await paths()).toEqual(['e']);
    });

    it('[CHANGE10.2] two at the same time revert it once, and an earlier call only after the later one', async () => {
      await writeFile(join(folder.path, 'f'), '1\n');
      const undos = await run('echo 2 > f', 'first');
      await run('echo 3 > f', 'second');
      expect(await undos.preview('first')).toEqual({ kind: 'conflict', paths: ['f'] });
      const hash = hashOf(await undos.preview('second'));
      const both = await Promise.all([undos.undo('second', hash), shellCmd(options).undos?.undo('second', hash)]);
      expect(both).toEqual(expect.arrayContaining(['done', { kind: 'undone' }]));
      expect(readFileSync(join(folder.path, 'f'), 'utf8')).toBe('2\n');
    });

    it('[CHANGE10.1] keeps the last one if a call is applied again, and leaves no draft behind', async () => {
      await run('touch first', 'call');
      const undos = await run('touch second', 'call');
      expect(readdirSync(drafts.path).filter((name) => /^(?:undo|draft)-/.test(name))).toEqual([
        expect.stringMatching(/^undo-.*-call$/),
      ]);
      expect(await undos.undo('call', hashOf(await undos.preview('call')))).toBe('done');
      expect(readdirSync(folder.path)).toEqual(['first']);
    });

    it('[CHANGE10.4] keeps only as much, as many and as long as the limits allow, and drops the oldest first', async () => {
      const undoLimits = { ms: 3_600_000, bytes: 25_000, count: 3 };
      sh('for i in $(seq 6); do head -c 10000 /dev/zero > f$i; done; head -c 30000 /dev/zero > large');
      for (const name of ['f1', 'f2', 'f3']) await run(`rm ${name}`, name, { undoLimits });
      const undos = await run('rm large', 'large', { undoLimits });
      const ids = async (): Promise<string[]> => (await undos.list()).map(({ invocationId }) => invocationId);
      expect(await ids()).toEqual(['f2', 'f3']);
      for (const name of ['n1', 'n2']) await run(`touch ${name}`, name, { undoLimits });
      expect(await ids()).toEqual(['f3', 'n1', 'n2']);
      const old = await run('rm f4', 'f4', { undoLimits: { ...undoLimits, ms: 0 } });
      expect(await old.preview('f4')).toEqual({ kind: 'gone' });
      expect(await old.list()).toEqual([]);
      expect(readdirSync(drafts.path).filter((name) => /^(?:undo|draft)-/.test(name))).toEqual([]);
    });

    it(
      '[CHANGE10.2] a server that is killed while it undoes leaves all of it or none, and can try again',
      { timeout: isFullSize ? 3_600_000 : 120_000 },
      async () => {
        const rounds = isFullSize ? 60 : 3;
        const seen = new Set<string>();
        for (let round = 0; round < rounds; round += 1) {
          const here = join(folder.path, String(round));
          const kept = join(drafts.path, String(round));
          for (const path of [here, kept]) await mkdir(path, { mode: 0o700 });
          const mine = { ...sandbox, drafting: { ...sandbox.drafting, folder: kept } };
          const tool = shellCmd({ sandbox: mine });
          sh(SETUP, here);
          const before = state(here);
          await tryTool(tool, { command: COMMAND }, { workingDirectory: here, invocationId: 'call' });
          const after = state(here);
          const hash = hashOf((await tool.undos?.preview('call')) ?? { kind: 'gone' });
          const watcher = watch(kept);
          const child = spawn(process.execPath, [program, hash, JSON.stringify(mine)], {
            stdio: ['ignore', 'ignore', 'inherit'],
          });
          const ended = once(child, 'exit');
          const steps = Math.floor((round * 20) / Math.max(1, rounds - 1));
          // Polling while the process starts would take as much CPU as the start.
          if (steps > 0) await Promise.race([once(watcher, 'change'), ended]);
          watcher.close();
          while (child.exitCode === null && stepsIn(kept) < steps) await setImmediate();
          child.kill('SIGKILL');
          await ended;
          await sweepFolders({ folder: kept, flock: sandbox.drafting.flock });
          expect(readdirSync(kept).filter((name) => name.startsWith('draft-'))).toEqual([]);
          const found = state(here);
          seen.add(found === before ? 'before' : found === after ? 'after' : 'neither');
          const again = found === after ? await tool.undos?.undo('call', await fresh(tool.undos)) : 'done';
          expect(again).toBe('done');
          expect(state(here)).toBe(before);
        }
        expect(seen).toContain('after');
        expect(seen).not.toContain('neither');
      },
    );

    const fresh = async (undos: Undos | undefined): Promise<string> =>
      hashOf((await undos?.preview('call')) ?? { kind: 'gone' });
  },
);

function stepsIn(folder: string): number {
  const counts = readdirSync(folder).map((name) => {
    try {
      return readFileSync(join(folder, name, 'steps'), 'utf8').split('\n').length - 1;
    } catch {
      // It doesn't exist yet, or no longer.
      return 0;
    }
  });
  return Math.max(0, ...counts);
}
