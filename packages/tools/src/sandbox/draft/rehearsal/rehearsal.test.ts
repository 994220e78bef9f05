import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock, type Rehearsal, type Tool } from '@countersign/core/ports';
import { describeEffect, type Effect, type NoEffectReason } from '@countersign/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, runsFactor, sampled, scaled } from '../../../../../../tests/support/scaled.js';
import { shellCmd } from '../../../shell/shell-cmd.js';
import type { ShellOptions } from '../../../shell/shell-options.js';
import { findSandboxes } from '../../../testing/find-sandboxes.js';
import { RANDOM_START, randomSteps } from '../../../testing/random-steps.js';
import { makeFolder, type TestFolder } from '../../../../../../tests/support/make-folder.js';
import { tryTool, type Tried } from '../../../testing/try-tool.js';
import { sweepFolders } from '@countersign/changes';

const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);
/** Asks the gateway for a host, as programs do that know the proxy variables. */
const tries = (host: string): string =>
  `exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT ${host}:443 HTTP/1.1\\r\\n\\r\\n' >&3 && head -1 <&3`;

const none = { kind: 'none', reason: 'left out on purpose' } as const;

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[CHANGE8] the rehearsal of a command ($drafts)',
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

    const at = (name: string): string => join(folder.path, name);
    const sh = (command: string, cwd: string = folder.path): string =>
      execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
    const state = (path: string = folder.path): string =>
      sh(`find . -mindepth 1 -printf '%P %y %l %m\\n' | sort; find . -type f | sort | xargs -r cat`, path);
    /** Everything on the disk that belongs to a draft or a rehearsal. */
    const left = (): string[] => readdirSync(drafts.path).filter((name) => /^(?:draft|rehearsal)-/.test(name));

    const holdsAnything = (path: string): 'anything' | 'nothing' => (path === folder.path ? 'anything' : 'nothing');

    interface About {
      tool?: Tool;
      id?: string;
      agentId?: string;
      workingDirectory?: string;
      signal?: AbortSignal;
      mayReach?: (host: string) => boolean;
      isProtected?: (path: string) => boolean;
    }
    const rehearse = async (command: string, about: About = {}): Promise<Rehearsal> => {
      const { tool = shellCmd(options), id = 'call', workingDirectory = folder.path, mayReach, isProtected } = about;
      const found = await tool.rehearsals?.rehearse(
        { command },
        {
          worldId: 'world',
          agentId: about.agentId ?? 'agent',
          chatId: 'chat',
          invocationId: id,
          workingDirectory,
          signal: about.signal ?? new AbortController().signal,
          ...(mayReach === undefined ? {} : { sandboxGrants: { folders: [], mayReach } }),
          ...(isProtected === undefined ? {} : { protectedPaths: { isProtected, mayHold: holdsAnything } }),
        },
      );
      if (found === undefined) throw new Error('the tool has no rehearsals');
      return found;
    };
    const effectOf = async (command: string, about: About = {}): Promise<Effect> => {
      const found = await rehearse(command, about);
      if (found.fingerprint === undefined) throw new Error(`no effect: ${found.noEffect.reason}`);
      expect(found.fingerprint).toBe(found.effect.effectHash);
      return found.effect;
    };
    const reasonOf = async (command: string, about: About = {}): Promise<NoEffectReason | undefined> => {
      const found = await rehearse(command, about);
      return found.fingerprint === undefined ? found.noEffect.reason : undefined;
    };
    const apply = (
      command: string,
      fingerprint: string,
      { tool = shellCmd(options), id = 'call', ...about }: About = {},
    ) => tryTool(tool, { command }, { workingDirectory: folder.path, ...about, fingerprint, invocationId: id });
    const errorOf = (tried: Tried): string => (tried.ok ? '' : tried.error);

    it('[CHANGE8.1] shows what a command will do, changes nothing, and a yes applies exactly that without running it again', async () => {
      sh(
        'mkdir -p notes old/deep; seq 5 > list; echo a > notes/a.tmp; echo b > notes/b.tmp; echo c > old/deep/c; ln -s list l',
      );
      await writeFile(at('moved'), 'the same content\n');
      await writeFile(at('picture'), Buffer.from([1, 0, 2, 0]));
      const before = state();
      const command =
        'rm notes/*.tmp; rm -r old; sed -i s/3/drei/ list; chmod +x list; mv moved there; printf "\\0\\1" > picture; ' +
        'mkdir new; echo n > new/n; ln -sfn notes l; chmod 700 notes; echo done; echo oops >&2; exit 3';
      const effect = await effectOf(command);
      expect(state()).toBe(before);
      expect(describeEffect(effect)).toBe(
        'Removes 2 files and 1 folder with 1 file, changes 2 files, 1 link and 1 folder, moves 1 file, adds 1 file and 1 folder',
      );
      expect(effect).toMatchObject({ exitCode: 3, output: 'done\n\noops\n', leftOut: [], truncated: false });
      expect(effect.files).toEqual([
        { path: 'notes/a.tmp', change: 'removed', kind: 'file', bytes: 2 },
        { path: 'notes/b.tmp', change: 'removed', kind: 'file', bytes: 2 },
        { path: 'old', change: 'removed', kind: 'folder', contains: 1 },
        { path: 'l', change: 'changed', kind: 'link', target: 'notes' },
        {
          path: 'list',
          change: 'changed',
          kind: 'file',
          mode: '0755',
          bytes: 13,
          lines: { added: 1, removed: 1 },
          diff: '--- a/list\n+++ b/list\n@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+drei\n 4\n 5',
        },
        { path: 'notes', change: 'changed', kind: 'folder', mode: '0700' },
        { path: 'picture', change: 'changed', kind: 'file', bytes: 2, noDiff: 'binary' },
        { path: 'there', change: 'moved', from: 'moved', kind: 'file', bytes: 17 },
        { path: 'new', change: 'added', kind: 'folder', mode: '0755' },
        {
          path: 'new/n',
          change: 'added',
          kind: 'file',
          mode: '0644',
          bytes: 2,
          lines: { added: 1, removed: 0 },
          diff: '--- /dev/null\n+++ b/new/n\n@@ -0,0 +1 @@\n+n',
        },
      ]);
      // Idempotent: the same rehearsal is returned, and nothing runs again.
      expect(await effectOf(command)).toEqual(effect);
      const tried = await apply(command, effect.effectHash);
      expect(tried).toEqual({
        ok: false,
        error: 'the command exited with code 3',
        result: { exitCode: 3, stdout: 'done\n', stderr: 'oops\n' },
      });
      expect(sh('ls; cat new/n; readlink l; stat -c %a list notes')).toBe(
        'l\nlist\nnew\nnotes\npicture\nthere\nn\nnotes\n755\n700\n',
      );
      expect(left()).toEqual([]);
    });

    it('[CHANGE8.3] a command that behaves differently when it is rehearsed gains nothing', async () => {
      const command =
        'if [ -e marker ]; then echo bad > result; else echo good > result; fi; date +%N >> result; echo $$ >> result';
      const effect = await effectOf(command);
      await writeFile(at('marker'), '');
      expect(await apply(command, effect.effectHash)).toMatchObject({ ok: true });
      const [change] = effect.files;
      const text = await readFile(at('result'), 'utf8');
      expect(text.startsWith('good\n')).toBe(true);
      expect(change?.diff?.split('\n').slice(3)).toEqual(
        text
          .trimEnd()
          .split('\n')
          .map((line) => `+${line}`),
      );
    });

    it(
      '[CHANGE8.1] its effect is that of a real run on a copy, byte for byte, and is what is applied',
      { timeout: 300_000 * Math.max(1, runsFactor) },
      async () => {
        await fc.assert(
          fc.asyncProperty(randomSteps, async (command) => {
            const [inside, outside] = [at('inside'), at('outside')];
            for (const path of [inside, outside]) {
              await mkdir(path);
              await chmod(path, 0o755);
              sh(RANDOM_START, path);
            }
            try {
              const [before, untouched] = [paths(inside), state(inside)];
              const effect = await effectOf(command, { workingDirectory: inside });
              expect(state(inside)).toBe(untouched);
              await tryTool(shellCmd({ ...options, sandbox: none }), { command }, { workingDirectory: outside });
              expect(pathsAfter(before, effect)).toEqual(paths(outside));
              expect(await apply(command, effect.effectHash, { workingDirectory: inside })).toMatchObject({ ok: true });
              expect(state(inside)).toBe(state(outside));
            } finally {
              sh('rm -rf inside outside');
            }
          }),
          { numRuns: scaled(50, 1) },
        );
      },
    );

    const paths = (path: string): string[] =>
      sh('find . -mindepth 1 -printf "%P\\n"', path).trim().split('\n').toSorted();

    /** The paths in a folder after the effect that people saw. */
    function pathsAfter(before: readonly string[], { files }: Effect): string[] {
      const gone = files.flatMap((file) => (file.change === 'removed' ? [file.path] : (file.from ?? [])));
      const isGone = (path: string): boolean => gone.some((one) => path === one || path.startsWith(`${one}/`));
      const put = files.filter(({ change }) => change !== 'removed').map(({ path }) => path);
      const all = new Set([...before.filter((path) => !isGone(path)), ...put.filter((path) => path !== '.')]);
      return [...all].toSorted();
    }

    it('[CHANGE8.1] the hash covers content, modes, links, what is left out and what was printed', async () => {
      const seen = new Set<string>();
      const commands = [
        'echo 1 > f',
        'echo 2 > f',
        'echo 1 > f; chmod 600 f',
        'echo 1 > f; echo 1',
        'echo 1 > f; echo 1 >&2',
        'echo 1 > f; exit 1',
        'ln -s a f',
        'ln -s b f',
        'mkdir f',
        'echo 1 > f; echo 1 > g',
        'echo 1 > f; ln f g',
        'echo 1 > f; mkdir .git',
        ':',
      ];
      for (const [index, command] of sampled(commands, 4).entries()) {
        const { effectHash } = await effectOf(command, { id: `call-${index}` });
        expect(seen).not.toContain(effectHash);
        seen.add(effectHash);
      }
      // The same again has the same hash.
      expect(seen).toContain((await effectOf('echo 1 > f', { id: 'again' })).effectHash);
    });

    it('[CHANGE8.1] lists what will be left out, and why', async () => {
      sh('git init -q .');
      const effect = await effectOf('echo x > .git/hooks/post-commit; chmod +x .git/hooks/post-commit; echo y > f');
      expect(effect.leftOut).toMatchObject([{ path: '.git/hooks' }]);
      expect(effect.leftOut[0]?.why).toContain('programs outside the sandbox run it automatically');
      expect(describeEffect(effect)).toBe('Adds 1 file');
    });

    it('[CHANGE8.2] lists and removes files whose names aren’t UTF-8 with their folder', async () => {
      sh('mkdir odd; echo y > odd/ok; printf x > "odd/$(printf "n\\xffm")"');
      const first = await rehearse('rm -r odd');
      if (first.fingerprint === undefined) throw new Error(first.noEffect.reason);
      expect(describeEffect(first.effect)).toBe('Removes 1 folder with 2 files');
      expect(first.paths?.removed).toEqual(['odd', 'odd/n\\xffm', 'odd/ok']);
      sh('mv "odd/$(printf "n\\xffm")" "odd/$(printf "n\\xfem")"');
      const second = await rehearse('rm -r odd');
      expect(second.fingerprint).not.toBe(first.fingerprint);
      expect(second).toMatchObject({ paths: { removed: ['odd', 'odd/n\\xfem', 'odd/ok'] } });
      const run = await tryTool(shellCmd(options), { command: 'rm -r odd' }, { workingDirectory: folder.path });
      expect(run).toMatchObject({ ok: true });
      expect(readdirSync(folder.path)).toEqual([]);
    });

    it.runIf(process.getuid?.() === 0)('[CHANGE8.2] says if a replaced file gets another owner', async () => {
      sh('echo one > theirs; echo one > ours; chown 1234:4321 theirs');
      const { files } = await effectOf('for f in *; do rm $f; echo two > $f; done');
      expect(files.map(({ path, owner }) => [path, owner])).toEqual([
        ['ours', undefined],
        ['theirs', '0:0'],
      ]);
    });

    it('[CHANGE8.5] has no network: the hosts that it tries are recorded, and nothing leaves the machine', async () => {
      const used: string[] = [];
      const outside: NonNullable<ShellOptions['outside']> = {
        connect: (address) => {
          used.push(address);
          throw new Error('not in a test');
        },
        network: {
          resolve: (host) => Promise.resolve([{ address: used[used.push(host) - 1] ?? '', family: 4 }]),
          mayConnect: () => true,
        },
      };
      const tool = shellCmd({ ...options, outside });
      const command = `${['one.test', '93.184.216.34', 'ONE.test', 'tw\\to'].map(tries).join('; ')}; echo x > f`;
      const effect = await effectOf(command, { tool });
      expect(effect).toMatchObject({ triedHosts: ['one.test', '93.184.216.34'], exitCode: 0 });
      expect(effect.output).toContain('403 Forbidden');
      // A host that rules open matters only to commands that use it.
      expect(await effectOf('echo x > g', { tool, id: 'other', mayReach: () => true })).not.toHaveProperty(
        'triedHosts',
      );
      expect(used).toEqual([]);
    });

    it.each<[NoEffectReason, string, Partial<ShellOptions>, About]>([
      ['network', 'echo x > f', { network: 'public' }, {}],
      ['network', `${tries('good.test')}; echo x > f`, {}, { mayReach: (host) => host === 'good.test' }],
      ['too-long', 'sleep 100', { rehearsalTimeoutMs: 300 }, {}],
      ['too-large', 'head -c 100000 /dev/zero > f', { draftLimits: { bytes: 50_000, files: 10 } }, {}],
      // A run may write that much, but nobody has approved this yet.
      ['too-large', 'truncate -s 1G f', {}, {}],
      [
        'too-large',
        'x=$(head -c 200M /dev/zero | tr "\\0" x); sleep 100',
        { rehearsalUsage: { memoryBytes: 100_000_000, processes: 100, cpuMs: 1e6 } },
        {},
      ],
      [
        'too-large',
        'for i in {1..60}; do sleep 100 & done; wait',
        { rehearsalUsage: { memoryBytes: 1e9, processes: 40, cpuMs: 1e6 } },
        {},
      ],
      // The processes that used the time have ended.
      [
        'too-large',
        'for i in 1 2 3; do bash -c "for ((i = 0; i < 400000; i += 1)); do :; done"; done; sleep 100',
        { rehearsalUsage: { memoryBytes: 1e9, processes: 40, cpuMs: 300 } },
        {},
      ],
      ['no-sandbox', 'echo x > f', { sandbox: none }, {}],
    ])('[CHANGE8.7] [CHANGE8.8] has no effect to show: %s', async (reason, command, more, about) => {
      const tool = shellCmd({ ...options, ...more });
      expect(await reasonOf(command, { tool, ...about })).toBe(reason);
      // The second time, it is known.
      expect(await reasonOf(command, { tool, ...about })).toBe(reason);
      expect(state()).toBe('');
      await tool.rehearsals?.drop('call');
      expect(left()).toEqual([]);
    });

    it('[CHANGE8.7] reading what it wrote is limited too', async () => {
      // The second limit of this length starts when the command has ended.
      let limits = 0;
      const clock: Clock = {
        ...systemClock,
        after(ms, act) {
          limits += ms === 9_999 ? 1 : 0;
          if (limits < 2) return systemClock.after(ms, act);
          act();
          return () => undefined;
        },
      };
      const tool = shellCmd({ ...options, rehearsalTimeoutMs: 9_999, clock });
      expect(await reasonOf('echo x > f', { tool })).toBe('too-long');
      expect(left()).toHaveLength(1);
      await tool.rehearsals?.drop('call');
      expect(left()).toEqual([]);
    });

    it('[CHANGE8.1] a command cannot set extended attributes, which no effect shows', async () => {
      const number = process.arch === 'arm64' ? 5 : 188;
      const perl = `my ($f, $n, $v) = ("f", "user.x", "1"); syscall(${number}, $f, $n, $v, 1, 0); print $! + 0`;
      expect((await effectOf(`echo x > f; perl -e '${perl}'`)).output).toBe('95');
    });

    it('[CHANGE8.1] says what a binary file is, however large', async () => {
      const { files, truncated } = await effectOf(
        'gzip -c /etc/passwd > a.gz; (printf "\\x7fELF\\0"; head -c 1M /dev/zero) > b',
      );
      expect(files).toMatchObject([
        { path: 'a.gz', mediaType: 'application/gzip' },
        { path: 'b', mediaType: 'application/x-elf' },
      ]);
      expect(truncated).toBe(false);
    });

    it('[CHANGE6.10] shows all of a truncated effect while it is kept', async () => {
      const tool = shellCmd(options);
      const { files, truncated, unlisted, effectHash } = await effectOf('seq 10000 > long; touch n{1..700}', { tool });
      expect({ files: files.length, truncated, unlisted }).toEqual({ files: 500, truncated: true, unlisted: 201 });
      const { signal } = new AbortController();
      const whole = await tool.rehearsals?.show?.('call', effectHash, signal);
      expect(whole).toMatchObject({ effectHash, truncated: false });
      expect(whole?.files).toHaveLength(701);
      expect(whole?.files.find(({ path }) => path === 'long')?.diff).toMatch(/\+10000$/);
      expect(await tool.rehearsals?.show?.('call', '0'.repeat(64), signal)).toBeUndefined();
      await expect(tool.rehearsals?.show?.('call', effectHash, AbortSignal.abort())).rejects.toThrow('abort');
      await tool.rehearsals?.drop('call');
      expect(await tool.rehearsals?.show?.('call', effectHash, signal)).toBeUndefined();
    });

    it('an aborted rehearsal rejects, and leaves nothing behind', async () => {
      await expect(rehearse('sleep 100', { signal: AbortSignal.timeout(200) })).rejects.toThrow(
        'aborted due to timeout',
      );
      expect(left()).toEqual([]);
    });

    it('[CHANGE8.3] is repeated if somebody changed its files, its arguments differ or rules hide something else', async () => {
      await writeFile(at('log'), 'one\n');
      const first = await effectOf('echo mine >> log');
      await appendFile(at('log'), 'theirs\n');
      expect(errorOf(await apply('echo mine >> log', first.effectHash))).toContain(
        'none of the command\'s changes were applied, because others changed the same files after it was rehearsed: "log"',
      );
      const second = await effectOf('echo mine >> log');
      expect(second.effectHash).not.toBe(first.effectHash);
      const other = await effectOf('echo other >> log');
      expect(other.files[0]?.diff).toContain('+other');
      const hidden = await effectOf('cat log', { isProtected: (path) => path === at('log') });
      expect(hidden.output).not.toContain('theirs');
      expect(await readFile(at('log'), 'utf8')).toBe('one\ntheirs\n');
    });

    it('[CHANGE8.3] nothing runs or is applied for another hash, for a dropped rehearsal or twice', async () => {
      const { effectHash } = await effectOf('echo x >> f');
      expect(errorOf(await apply('echo x >> f', '0'.repeat(64)))).toContain('no longer exists');
      expect(errorOf(await apply('echo x >> f', effectHash))).toContain('no longer exists');
      const again = await effectOf('echo x >> f');
      expect(await apply('echo x >> f', again.effectHash)).toMatchObject({ ok: true });
      expect(errorOf(await apply('echo x >> f', again.effectHash))).toContain('no longer exists');
      const tool = shellCmd(options);
      const third = await effectOf('echo y >> f', { tool });
      expect(await tool.rehearsals?.list()).toEqual(['call']);
      await tool.rehearsals?.drop('call');
      expect(await tool.rehearsals?.list()).toEqual([]);
      expect(errorOf(await apply('echo y >> f', third.effectHash, { tool }))).toContain('no longer exists');
      expect(await readFile(at('f'), 'utf8')).toBe('x\n');
      expect(left()).toEqual([]);
    });

    it('[CHANGE8.3] a changed draft is not applied: the hash is computed again from its files', async () => {
      const { effectHash } = await effectOf('echo good > f');
      const [root = ''] = left();
      await writeFile(join(drafts.path, root, 'upper', 'f'), 'bad\n');
      expect(errorOf(await apply('echo good > f', effectHash))).toContain('no longer exists');
      expect(state()).toBe('');
    });

    it('[CHANGE8.3] a path that a rule has protected since then is not applied', async () => {
      const { effectHash } = await effectOf('echo x > f');
      const protectedPaths = { isProtected: (path: string) => path === at('f'), mayHold: holdsAnything };
      const about = { workingDirectory: folder.path, fingerprint: effectHash, protectedPaths };
      const tried = await tryTool(shellCmd(options), { command: 'echo x > f' }, about);
      expect(errorOf(tried)).toContain('no longer exists');
      expect(state()).toBe('');
    });

    it('[CHANGE2] a running command never replaces files that a rehearsal added after it started', async () => {
      const { effectHash } = await effectOf('mkdir new; echo theirs > new/f', { id: 'theirs' });
      const stop = new AbortController();
      let applied: Promise<Tried> | undefined;
      const tried = await tryTool(
        shellCmd(options),
        { command: 'mkdir new; echo mine > new/f; echo written; sleep 1000' },
        {
          workingDirectory: folder.path,
          signal: stop.signal,
          output: () => {
            applied ??= apply('as rehearsed', effectHash, { id: 'theirs' }).finally(() => stop.abort());
          },
        },
      );
      expect(await applied).toMatchObject({ ok: true });
      expect(errorOf(tried)).toContain('others changed the same files while it ran: "new/f"');
      expect(await readFile(at('new/f'), 'utf8')).toBe('theirs\n');
    });

    it('[CHANGE8.8] drops the oldest rehearsals if their disk space is needed, and remembers why', async () => {
      const tool = shellCmd({ ...options, rehearsalBudget: { bytes: 25_000, count: 3 } });
      const write = (name: string, bytes: number): string => `head -c ${bytes} /dev/zero > ${name}`;
      const a = await effectOf(write('a', 10_000), { id: 'a', tool });
      const b = await effectOf(write('b', 10_000), { id: 'b', tool });
      await effectOf(write('c', 10_000), { id: 'c', tool });
      expect(await reasonOf(write('a', 10_000), { id: 'a', tool })).toBe('dropped');
      expect(errorOf(await apply(write('a', 10_000), a.effectHash, { id: 'a', tool }))).toContain('no longer exists');
      expect(await effectOf(write('b', 10_000), { id: 'b', tool })).toEqual(b);
      expect(await reasonOf(write('d', 30_000), { id: 'd', tool })).toBe('too-large');
      for (const id of ['e', 'f']) await effectOf(':', { id, tool });
      expect(await reasonOf(write('b', 10_000), { id: 'b', tool })).toBe('dropped');
      expect(state()).toBe('');
      for (const id of (await tool.rehearsals?.list()) ?? []) await tool.rehearsals?.drop(id);
      expect(left()).toEqual([]);
    });

    it('[CHANGE8.8] an agent with many rehearsals loses its own first', async () => {
      const tool = shellCmd({ ...options, rehearsalBudget: { bytes: 25_000, count: 4 } });
      const write = (bytes: number): string => `head -c ${bytes} /dev/zero > f`;
      const quiet = await effectOf(write(4_000), { id: 'quiet', agentId: 'quiet', tool });
      for (const id of ['a', 'b']) await effectOf(write(10_000), { id, agentId: 'busy', tool });
      await effectOf(write(10_000), { id: 'c', agentId: 'busy', tool });
      expect(await reasonOf(write(10_000), { id: 'a', agentId: 'busy', tool })).toBe('dropped');
      for (const id of ['d', 'e']) await effectOf(':', { id, agentId: 'busy', tool });
      expect(await reasonOf(write(10_000), { id: 'b', agentId: 'busy', tool })).toBe('dropped');
      expect(await effectOf(write(4_000), { id: 'quiet', agentId: 'quiet', tool })).toEqual(quiet);
    });

    it('a start removes what was never kept, and keeps what waits', async () => {
      await effectOf('echo x > f');
      await mkdir(join(drafts.path, `draft-${hostname()}-4194303-${crypto.randomUUID()}`));
      await sweepFolders({ folder: drafts.path, flock: 'flock' });
      expect(left()).toHaveLength(1);
      const { effectHash } = await effectOf('echo x > f');
      expect(await apply('echo x > f', effectHash)).toMatchObject({ ok: true });
    });
  },
);
