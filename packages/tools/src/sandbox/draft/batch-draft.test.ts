import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sweepFolders } from '@countersign/changes';
import { registerOwnFile } from '@countersign/core/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../../../tests/support/make-folder.js';
import { isFullSize, scaled } from '../../../../../tests/support/scaled.js';
import { editFile } from '../../files/edit-file.js';
import { writeFile } from '../../files/write-file.js';
import { shellCmd } from '../../shell/shell-cmd.js';
import { findSandboxes } from '../../testing/find-sandboxes.js';
import { sealCalls, type CallToSeal } from '../../testing/seal-calls.js';
import { tryTool } from '../../testing/try-tool.js';

const DYING = fileURLToPath(new URL('../../../../countersign/dist/testing/bundle/dying-rehearsal.js', import.meta.url));
const sh = (command: string, cwd: string): string => execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
/** Every path with its type, target and permissions, and the content of every file. */
const state = (path: string): string =>
  sh(`find . -mindepth 1 -printf '%P %y %l %m\\n' | sort; find . -type f | sort | xargs -r cat`, path);

/** With copies only at full size. */
const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);
const SETUP =
  'mkdir -p d/deep; for i in 1 2 3; do echo old $i > f$i; echo $i > d/deep/$i; done; ln -s f1 l; chmod 640 f2';

/** A command or a write that depends on what came before it. */
const COMMANDS = [
  'echo more >> f1',
  'cat f1 f2 > g1 2>/dev/null; true',
  'rm -rf d',
  'mkdir -p d/deep && date -u -d @0 > d/deep/new',
  'mv f3 moved 2>/dev/null || mv moved f3',
  'ln -sfn f2 l',
  'chmod 600 f1; chmod 700 d 2>/dev/null; true',
  'echo tmp > tmp; wc -c tmp > size; rm tmp',
  'for f in *; do [ -f "$f" ] && sort -o "$f" "$f"; done; true',
  'mkdir e && echo e > e/x || rm -r e',
  'pwd > where; ls -A > names',
];

describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  'a draft of several calls ($drafts)',
  ({ sandbox }) => {
    const shell = shellCmd({ sandbox });
    const lock = sandbox.kind === 'bubblewrap' ? sandbox.drafting : undefined;
    const [write, edit] = [writeFile({ lock }), editFile({ lock })];
    const run = (command: string): CallToSeal => ({ tool: shell, args: { command } });
    const put = (path: string, content: string): CallToSeal => ({ tool: write, args: { path, content } });
    const applied = async (folder: string, calls: readonly CallToSeal[]): Promise<string> => {
      const { batch } = await sealCalls(shell, folder, calls);
      const hold = await batch.hold();
      if (hold === undefined) throw new Error('the folder has changed');
      await batch.apply(['call', 'other'], hold);
      await hold.release();
      await batch.discard();
      return state(folder);
    };

    it('[CHANGE11.1] equals running the calls one after another, byte for byte', { timeout: 3_600_000 }, async () => {
      const call = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...COMMANDS).map(run) },
        fc
          .tuple(fc.constantFrom('f1', 'new/a', 'd/b'), fc.constantFrom('x\n', 'y'))
          .map(([path, text]) => put(path, text)),
        fc
          .constantFrom('f1', 'f2')
          .map((path): CallToSeal => ({ tool: edit, args: { path, oldText: 'old', newText: 'new' } })),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: isFullSize ? 6 : 4 }), async (calls) => {
          const [one, other] = [await makeFolder(), await makeFolder()];
          for (const { path } of [one, other]) sh(SETUP, path);
          let ran = 0;
          for (const { tool, args } of calls) {
            // A call of a batch that fails ends it, so only those before it are compared.
            if (!(await tryTool(tool, args, { workingDirectory: one.path, invocationId: `one-${ran}` })).ok) break;
            ran += 1;
          }
          sh(`sed -i 's|${one.path}|FOLDER|' where 2>/dev/null; true`, one.path);
          const { drafted } = await sealAndApply(other.path, calls.slice(0, ran));
          sh(`sed -i 's|${other.path}|FOLDER|' where 2>/dev/null; true`, other.path);
          expect(drafted.every((each) => 'effect' in each)).toBe(true);
          expect(state(other.path)).toBe(state(one.path));
          for (const { remove } of [one, other]) await remove();
        }),
        { numRuns: isFullSize ? scaled(200) : 2 },
      );
    });

    async function sealAndApply(folder: string, calls: readonly CallToSeal[]) {
      const { batch, drafted } = await sealCalls(shell, folder, calls);
      const before = state(folder);
      const hold = await batch.hold();
      expect(state(folder)).toBe(before);
      await batch.apply(['a', 'b'], hold ?? { release: () => Promise.resolve() });
      await hold?.release();
      await batch.discard();
      return { drafted };
    }

    it('[CHANGE11.2] a call sees nothing that was left out of one before it, or that rules hide from it', async () => {
      const { path, remove } = await makeFolder();
      sh('mkdir secret; echo hidden > secret/old', path);
      const secret = join(path, 'secret');
      const protectedPaths = {
        isProtected: (one: string) => one === secret || one.startsWith(`${secret}/`),
        mayHold: (_: string, where: 'inside' | 'outside') =>
          where === 'inside' ? ('anything' as const) : ('nothing' as const),
      };
      const { drafted, batch } = await sealCalls(shell, path, [
        run('mkdir .vscode; echo {} > .vscode/tasks.json; echo kept > kept'),
        // Each in its own way: left out, hidden where it was, and hidden where a call before has put it.
        { ...run('ls -A > seen; cat secret/old >> seen 2>&1; true'), protectedPaths },
        put('secret/new', 'written by a tool that may\n'),
        {
          ...run('ls -A secret > listed 2>&1; cat secret/new >> listed 2>&1; rm -rf secret/new 2>/dev/null; true'),
          protectedPaths,
        },
      ]);
      expect(drafted).toHaveLength(4);
      expect(drafted[0]).toMatchObject({ effect: { leftOut: [{ path: '.vscode' }] } });
      const hold = await batch.hold();
      await batch.apply(['a', 'b'], hold ?? { release: () => Promise.resolve() });
      await hold?.release();
      const read = (name: string): string => readFileSync(join(path, name), 'utf8');
      expect(read('seen')).not.toContain('hidden');
      expect(existsSync(join(path, '.vscode/tasks.json'))).toBe(false);
      expect(read('listed')).not.toContain('written');
      expect(read('secret/new')).toContain('written');
      await batch.discard();
      await remove();
    });

    it('[CHANGE11.1] [SAFE1] no call reads or writes a file of Countersign in the folder, such as a store', async () => {
      const { path, remove } = await makeFolder();
      const store = join(path, 'store.db');
      writeFileSync(store, 'the signing key');
      writeFileSync(`${store}-wal`, 'all chats');
      const unregister = registerOwnFile(store);
      const { batch, drafted } = await sealCalls(shell, path, [
        run('cat store.db store.db-wal; echo seen > seen'),
        run('cat store.db* > copied; true'),
      ]);
      expect(drafted).toMatchObject([
        { effect: { output: '' } },
        { effect: { files: [{ path: 'copied', bytes: 0 }] } },
      ]);
      await batch.discard();
      for (const name of ['store.db', store])
        await expect(sealCalls(shell, path, [run('true'), put(name, 'forged')])).rejects.toThrow(
          'belongs to Countersign',
        );
      unregister();
      await remove();
    });

    it('[CHANGE11.2] applies nothing that programs run by themselves, also if a tool wrote it', async () => {
      const { path, remove } = await makeFolder();
      await expect(sealCalls(shell, path, [run('echo a > a'), put('.vscode/tasks.json', '{}')])).rejects.toThrow(
        ".vscode can't be applied",
      );
      expect(readdirSync(path)).toEqual([]);
      await remove();
    });

    it('[CHANGE11.4] applies nothing once somebody else has changed a path of it, or its draft', async () => {
      const { path, remove } = await makeFolder();
      sh(SETUP, path);
      const calls = [run('echo more >> f1'), run('echo more >> f2')];
      const { batch } = await sealCalls(shell, path, calls);
      writeFileSync(join(path, 'f2'), 'by somebody else');
      const before = state(path);
      expect(await batch.hold()).toBeUndefined();
      await expect(batch.apply(['a', 'b'], { release: () => Promise.resolve() })).rejects.toThrow(
        'others changed the same files',
      );
      expect(state(path)).toBe(before);
      await batch.discard();
      expect(await applied(path, calls)).toContain('by somebody else');
      await remove();
    });

    it(
      '[CHANGE11.5] killed at any point: all of it is applied or nothing',
      { timeout: isFullSize ? 3_600_000 : 300_000 },
      async () => {
        if (sandbox.kind !== 'bubblewrap') return;
        const top = await makeFolder();
        const LINES = [
          'for i in 1 2 3; do echo new $i > f$i; done',
          'rm -r d; mkdir -p e/x; echo e > e/x/y',
          'ln -sfn f2 l; echo z > z',
        ];
        const [folderOf, draftsOf] = [
          (round: number) => join(top.path, `f${round}`),
          (round: number) => join(top.path, `d${round}`),
        ];
        const fresh = async (round: number): Promise<void> => {
          for (const path of [folderOf(round), draftsOf(round)]) await mkdir(path, { mode: 0o700 });
          sh(SETUP, folderOf(round));
        };
        await fresh(-1);
        const before = state(folderOf(-1));
        for (const line of LINES) sh(line, folderOf(-1));
        const after = state(folderOf(-1));
        const rounds = isFullSize ? 40 : 2;
        const seen = new Set<string>();
        for (let round = 0; round < rounds; round += 1) {
          await fresh(round);
          const [folder, drafts] = [folderOf(round), draftsOf(round)];
          const here = { ...sandbox, drafting: { ...sandbox.drafting, folder: drafts } };
          const steps = (): number =>
            Math.max(0, ...readdirSync(drafts).map((name) => countLines(join(drafts, name, 'steps'))));
          const watcher = watch(drafts);
          const args = [DYING, folder, LINES.join('\n'), JSON.stringify(here), 'batch'];
          const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
          const ended = once(child, 'exit');
          await Promise.race([once(watcher, 'change'), ended]);
          watcher.close();
          // The first round is killed while the calls run, the others while their change is applied.
          const isDue = (): boolean => (round === 0 ? readdirSync(drafts).length > 2 : steps() >= round);
          while (child.exitCode === null && !isDue()) await setImmediate();
          child.kill('SIGKILL');
          await ended;
          expect(child.exitCode ?? 0).toBe(0);
          const left = (): string[] => readdirSync(drafts).filter((name) => name.startsWith('draft-'));
          await expect
            .poll(async () => {
              await sweepFolders({ folder: drafts, flock: sandbox.drafting.flock });
              return left();
            })
            .toEqual([]);
          const found = state(folder);
          expect([before, after]).toContain(found);
          seen.add(found === before ? 'before' : 'after');
        }
        expect(seen).toContain('before');
        await top.remove();
      },
    );
  },
);

function countLines(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}
