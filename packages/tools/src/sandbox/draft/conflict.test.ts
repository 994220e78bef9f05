import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, runsFactor, sampled, scaled } from '../../../../../tests/support/scaled.js';
import { holdFolder, lockFolder, lockSlot } from '@countersign/changes';
import { editFile } from '../../files/edit-file.js';
import { writeFile as writeFileTool } from '../../files/write-file.js';
import { shellCmd } from '../../shell/shell-cmd.js';
import { findSandboxes } from '../../testing/find-sandboxes.js';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { tryTool, type Tried } from '../../testing/try-tool.js';

/** With copies only at full size. */
const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[CHANGE2] two writers in one folder ($drafts)',
  ({ sandbox }) => {
    let folder: TestFolder;
    beforeEach(async () => {
      folder = await makeFolder();
    });
    afterEach(() => folder.remove());

    const at = (name: string): string => join(folder.path, name);
    const sh = (command: string, cwd: string = folder.path): string =>
      execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' });

    /** Runs a command up to its last line, then `meanwhile`, and then lets it end. */
    async function during(command: string, meanwhile: () => unknown, path = folder.path): Promise<Tried> {
      const stop = new AbortController();
      let met = false;
      const output = (): void => {
        if (met) return;
        met = true;
        void Promise.resolve(meanwhile()).finally(() => stop.abort());
      };
      const about = { workingDirectory: path, signal: stop.signal, output };
      return await tryTool(shellCmd({ sandbox }), { command: `${command}\necho written; sleep 1000` }, about);
    }
    const run = (command: string, workingDirectory = folder.path): Promise<Tried> =>
      tryTool(shellCmd({ sandbox }), { command }, { workingDirectory });
    const words = (tried: Tried): string => (tried.ok ? '' : tried.error);

    it('two commands append concurrently: both lines are written, or the command whose line is missing fails and names the file', async () => {
      for (let round = 0; round < scaled(33, 1); round += 1) {
        await writeFile(at('log'), 'start\n');
        const both = await Promise.all(['one', 'two'].map((line) => run(`echo ${line} >> log`)));
        const text = await readFile(at('log'), 'utf8');
        const isKnown = ['one', 'two'].map((line, index) => {
          const tried = both[index];
          return tried?.ok === true ? text.includes(`${line}\n`) : tried?.error.includes('"log"');
        });
        expect(isKnown).toEqual([true, true]);
        expect(both.some(({ ok }) => ok)).toBe(true);
      }
    });

    it.each([1, 3, 4])(
      '[CHANGE2.2] in auto mode, a command that meets a conflict %d times runs again in a fresh draft, at most three times',
      async (times) => {
        await writeFile(at('log'), '');
        let met = 0;
        const again: number[] = [];
        const about = {
          workingDirectory: folder.path,
          mayCreate: () => false,
          again: () => again.push(met),
          output: () => {
            if (met === times) return;
            met += 1;
            sh('echo theirs >> log');
          },
        };
        const tried = await tryTool(shellCmd({ sandbox }), { command: 'echo mine >> log; echo written' }, about);
        expect(again).toHaveLength(Math.min(times, 3));
        expect(tried.ok).toBe(times < 4);
        const theirs = 'theirs\n'.repeat(times);
        expect(await readFile(at('log'), 'utf8')).toBe(times < 4 ? `${theirs}mine\n` : theirs);
      },
    );

    it('[CHANGE2.2] a command that a person approved, or that may use the network, does not run again', async () => {
      for (const [more, mode] of [
        [{}, {}],
        [{ network: 'public' as const }, { mayCreate: () => false }],
      ] as const) {
        await writeFile(at('log'), '');
        let runs = 0;
        const output = (): void => {
          runs += 1;
          sh('echo theirs >> log');
        };
        const command = 'echo mine >> log; echo written';
        const tried = await tryTool(
          shellCmd({ sandbox, ...more }),
          { command },
          { workingDirectory: folder.path, output, ...mode },
        );
        expect(words(tried)).toContain('others changed the same files while it ran: "log"');
        expect(runs).toBe(1);
      }
    });

    it('[CHANGE2] a held folder is locked for other processes, until the change that uses the hold has ended', async () => {
      if (sandbox.kind !== 'bubblewrap') throw new Error('skipped without bubblewrap');
      const { drafting } = sandbox;
      const lock = join(drafting.folder, `lock-${lockSlot(folder.path)}`);
      const isFree = (): boolean => spawnSync(drafting.flock, ['-n', lock, 'true']).status === 0;
      const hold = await holdFolder(folder.path, drafting);
      expect(isFree()).toBe(false);
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const changing = lockFolder(folder.path, drafting, () => ended, hold);
      const released = hold.release();
      // A hold that is being released no longer lets anything in.
      const next = lockFolder(folder.path, drafting, () => Promise.resolve(isFree()), hold);
      expect(isFree()).toBe(false);
      end();
      await Promise.all([changing, released]);
      expect(await next).toBe(false);
      expect(isFree()).toBe(true);
    });

    it.each(
      sampled(
        [
          ['append and append', 'echo 2 >> f', 'echo 3 >> f', '1\n3\n'],
          ['append and replace', 'echo 2 >> f', 'echo 3 > g; mv g f', '3\n'],
          ['replace and append', 'echo 2 > g; mv g f', 'echo 3 >> f', '1\n3\n'],
          ['append and chmod', 'echo 2 >> f', 'chmod 600 f', '1\n'],
          ['remove and append', 'rm f', 'echo 3 >> f', '1\n3\n'],
          ['new and new', 'echo 2 > new', 'echo 3 > new', '3\n', 'new'],
          ['a folder and a file with the same name', 'mkdir new; echo 2 > new/x', 'echo 3 > new', '3\n', 'new'],
          ['a file and a folder with the same name', 'echo 2 > new', 'mkdir new; echo 3 > new/x', '3\n', 'new/x'],
          ['remove a folder and add to it', 'rm -r d', 'echo 3 > d/more', '3\n', 'd/more'],
          ['make a folder again and change what was in it', 'rm -r d; mkdir d', 'echo 3 >> d/f', '1\n3\n', 'd/f'],
        ],
        5,
      ),
    )('%s: the later one fails, and none of its changes are applied', async (_name, mine, theirs, left, file = 'f') => {
      sh('echo 1 > f; mkdir d; echo 1 > d/f');
      const tried = await during(`${mine}; echo x > beside`, () => sh(theirs));
      expect(words(tried)).toContain("none of the command's changes were applied");
      expect(words(tried)).toContain(`"${file.split('/')[0] ?? ''}`);
      expect(sh(`cat ${file}; ls beside 2> /dev/null || true`)).toBe(left);
      expect(tried.result).toMatchObject({ stdout: 'written\n' });
    });

    it.each(
      sampled(
        [
          ['append and remove', 'echo 2 >> f', 'rm f'],
          ['replace and remove', 'echo 2 > g; mv g f', 'rm f'],
          ['append and rename', 'echo 2 >> f', 'mv f moved'],
          ['append in a folder and remove it', 'echo 2 >> d/f', 'rm -r d'],
          ['append in a folder and recreate it', 'echo 2 >> d/f', 'rm -r d; mkdir d'],
        ],
        2,
      ),
    )('%s by another command: the removal is not undone', async (_name, mine, theirs) => {
      sh('echo 1 > f; mkdir d; echo 1 > d/f');
      let other: Tried | undefined;
      const tried = await during(mine, async () => (other = await run(theirs)));
      expect(other).toMatchObject({ ok: true });
      expect(words(tried)).toContain("none of the command's changes were applied");
      expect(sh(`${mine.includes('d/f') ? 'ls d/f' : 'ls f'} 2> /dev/null || echo gone`)).toBe('gone\n');
    });

    it('changes to different files, in the same folder or in new ones, are all applied', async () => {
      sh('mkdir d; echo 1 > d/f; echo 1 > d/g; echo 1 > old');
      const tried = await during('echo 2 >> d/f; echo 2 > d/x; mkdir n; echo 2 > n/x; rm old', () =>
        run('echo 3 >> d/g; echo 3 > d/y; mkdir n; echo 3 > n/y'),
      );
      expect(words(tried)).toContain('stopped');
      expect(sh('cat d/f d/x d/g d/y n/x n/y; ls')).toBe('1\n2\n2\n1\n3\n3\n2\n3\nd\nn\n');
    });

    it('a change just before a command started is not a conflict', async () => {
      for (let round = 0; round < scaled(10, 1); round += 1) {
        sh(`echo ${round} > f`);
        expect(await run('echo x >> f')).toMatchObject({ ok: true });
      }
    });

    it('a command can change several hard links of one file', async () => {
      sh('mkdir d; echo 1 > d/a; ln d/a d/b; ln d/a c; ln d/a e');
      expect(await run('rm -r d; echo 2 > x; mv x c; rm e')).toMatchObject({ ok: true });
      expect(sh('ls; cat c')).toBe('c\n2\n');
    });

    it('[CALL7.3] write_file and edit_file don’t overwrite changes that a command applied after they were approved', async () => {
      for (const [tool, args] of [
        [writeFileTool(), { path: 'f', content: 'theirs' }],
        [editFile(), { path: 'f', oldText: '1', newText: '7' }],
      ] as const) {
        sh('echo 1 > f');
        const fingerprint = await tool.fingerprint?.(args, { workingDirectory: folder.path });
        expect(await run('echo 2 >> f')).toMatchObject({ ok: true });
        const tried = await tryTool(tool, args, { workingDirectory: folder.path, fingerprint });
        expect(words(tried)).toMatch(/"f" changed after this call was approved, so nothing was written/);
        expect(await readFile(at('f'), 'utf8')).toBe('1\n2\n');
      }
    });

    it('a command does not overwrite a file that write_file wrote while the command ran', async () => {
      sh('echo 1 > f');
      const write = { path: 'f', content: 'theirs' };
      const tried = await during('echo 2 >> f', () =>
        tryTool(writeFileTool(), write, { workingDirectory: folder.path }),
      );
      expect(words(tried)).toContain('"f"');
      expect(await readFile(at('f'), 'utf8')).toBe('theirs');
    });

    it('waits for another process that applies its draft, even if that process dies', async () => {
      if (sandbox.kind !== 'bubblewrap') return;
      const { flock, folder: drafts } = sandbox.drafting;
      const lock = join(drafts, `lock-${lockSlot(folder.path)}`);
      const other = spawn(flock, ['-x', lock, 'sh', '-c', 'echo held; exec cat'], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      await once(other.stdout, 'data');
      let ended = false;
      const mine = run('echo 2 > f').finally(() => (ended = true));
      // Find a folder with another lock slot.
      let apart = '';
      for (let number = 0; apart === '' || lockSlot(apart) === lockSlot(folder.path); number += 1)
        apart = at(`w${number}`);
      await mkdir(apart);
      expect(await run('echo 2 > f', apart)).toMatchObject({ ok: true });
      expect({ ended, there: sh('ls f 2> /dev/null || echo no') }).toEqual({ ended: false, there: 'no\n' });
      other.stdin.end();
      other.kill('SIGKILL');
      expect(await mine).toMatchObject({ ok: true });
      expect(sh('cat f')).toBe('2\n');
    });

    const name = fc.constantFrom('f', 'g', 'd/f', 'd/new', 'new');
    const step = (mark: string): fc.Arbitrary<string> =>
      fc.oneof(
        name.map((one) => `echo ${mark} >> ${one}`),
        name.map((one) => `echo ${mark} > t; mv t ${one}`),
        name.map((one) => `rm ${one}`),
        fc.constantFrom('rm -r d', 'mkdir new', 'rm -r d; mkdir d', 'mv d new', 'mv f g'),
      );
    const steps = (mark: string): fc.Arbitrary<string> =>
      fc.array(step(mark), { minLength: 1, maxLength: 4 }).map((all) => `exec 2> /dev/null; ${all.join('; ')}; true`);
    const state = (path: string): string =>
      sh(`find . -mindepth 1 -printf '%P %y\\n' | sort; grep -r . . | sort`, path);

    it(
      'for any two commands, the result is the same as running the successful ones in sequence',
      { timeout: 300_000 * Math.max(1, runsFactor) },
      async () => {
        await fc.assert(
          fc.asyncProperty(steps('A'), steps('B'), async (first, second) => {
            const begin = async (where: string): Promise<string> => {
              await mkdir(at(where));
              sh('echo 1 > f; echo 1 > g; mkdir d; echo 1 > d/f', at(where));
              return at(where);
            };
            try {
              const real = await begin('real');
              const tried = await during(first, () => run(second, real), real);
              const isApplied = words(tried).includes('stopped');
              // Either only the changes of the second, or those of both: neither undoes a change of the other.
              const [secondOnly, secondThenFirst, firstThenSecond] = [
                await begin('b'),
                await begin('ba'),
                await begin('ab'),
              ];
              sh(second, secondOnly);
              const merged = await begin('merged');
              merge({ merged, mine: await after(first, begin), theirs: secondOnly });
              for (const command of [second, first]) sh(command, secondThenFirst);
              for (const command of [first, second]) sh(command, firstThenSecond);
              const right = isApplied ? [merged, secondThenFirst, firstThenSecond] : [secondOnly];
              expect(right.map(state)).toContain(state(real));
            } finally {
              sh('rm -rf real b ba ab merged mine');
            }
          }),
          { numRuns: scaled(8, 1) },
        );
      },
    );

    async function after(command: string, begin: (where: string) => Promise<string>): Promise<string> {
      const path = await begin('mine');
      sh(command, path);
      return path;
    }

    /** For each name that one of them changed, takes the content from that one. */
    function merge({ merged, mine, theirs }: Record<'merged' | 'mine' | 'theirs', string>): void {
      const script = `
      cp -a "$1" base
      for p in $( (cd base; find . -mindepth 1; cd "$2"; find . -mindepth 1; cd "$3"; find . -mindepth 1) | sort -u); do
        for side in "$2" "$3"; do
          if [ -e "$side/$p" ]; then
            if [ -d "$side/$p" ]; then [ -d "base/$p" ] || { rm -rf "$1/$p"; mkdir -p "$1/$p"; }
            elif ! cmp -s "$side/$p" "base/$p"; then mkdir -p "$(dirname "$1/$p")"; cp "$side/$p" "$1/$p"; fi
          elif [ -e "base/$p" ]; then rm -rf "$1/$p"; fi
        done
      done
      rm -rf base`;
      execFileSync('bash', ['-c', script, 'merge', merged, mine, theirs], { cwd: folder.path });
    }
  },
);
