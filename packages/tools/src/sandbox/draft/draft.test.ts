import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { registerOwnFile } from '@countersign/core/ports';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, runsFactor, scaled } from '../../../../../tests/support/scaled.js';
import { shellCmd } from '../../shell/shell-cmd.js';
import type { ShellOptions } from '../../shell/shell-options.js';
import { findSandboxes } from '../../testing/find-sandboxes.js';
import { RANDOM_START, randomSteps } from '../../testing/random-steps.js';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { tryTool } from '../../testing/try-tool.js';
import type { Sandbox } from '../sandbox.js';
import { makeCallFolder, sweepFolders } from '@countersign/changes';

const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);
const none: Sandbox = { kind: 'none', reason: 'left out on purpose' };

interface Result {
  exitCode: number;
  stdout: string;
  stderr: string;
  note?: string;
}

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  'what a command writes ($drafts)',
  ({ sandbox }) => {
    let folder: TestFolder;
    beforeEach(async () => {
      folder = await makeFolder();
    });
    afterEach(() => folder.remove());

    const at = (name: string): string => join(folder.path, name);
    const run = async (
      command: string,
      more: Partial<ShellOptions> & { in?: string; meanwhile?: () => unknown } = {},
    ) => {
      const { in: workingDirectory = folder.path, meanwhile, ...options } = more;
      const stop = new AbortController();
      const tried = await tryTool(
        shellCmd({ sandbox, ...options }),
        { command },
        {
          workingDirectory,
          signal: stop.signal,
          output: () => {
            if (meanwhile !== undefined) void Promise.resolve(meanwhile()).finally(() => stop.abort());
          },
        },
      );
      if (tried.result === undefined) throw new Error(tried.ok ? 'no result' : tried.error);
      return tried.result as Result;
    };
    const sh = (command: string, cwd: string = folder.path): string =>
      execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
    const tree = (path: string): string =>
      sh(`find . -mindepth 1 -printf '%P %y %l %m\\n' | sort; find . -type f | sort | xargs -r cat`, path);

    it('[TURN15] is in the folder after it has ended, and not before', async () => {
      await writeFile(at('old'), 'old');
      let seen: string[] = [];
      await run('echo new > new; echo changed > old; echo written; sleep 1000', {
        meanwhile: () => (seen = sh('ls; cat old').split('\n')),
      });
      expect(seen).toEqual(['old', 'old']);
      expect(sh('ls; cat new old')).toBe('new\nold\nnew\nchanged\n');
    });

    it(
      'is the same as without a sandbox, however it renames files',
      { timeout: 300_000 * Math.max(1, runsFactor) },
      async () => {
        await fc.assert(
          fc.asyncProperty(randomSteps, async (command) => {
            const [inside, outside] = [at('inside'), at('outside')];
            for (const path of [inside, outside]) {
              await mkdir(path);
              sh(RANDOM_START, path);
            }
            try {
              const { note } = await run(command, { in: inside });
              await run(command, { in: outside, sandbox: none });
              expect(tree(inside)).toBe(tree(outside));
              expect(note).toBeUndefined();
            } finally {
              sh('rm -rf inside outside');
            }
          }),
          { numRuns: scaled(25, 1) },
        );
      },
    );

    it('is also applied from a draft on another disk', async () => {
      if (sandbox.kind !== 'bubblewrap') return;
      const other = await makeFolder('/dev/shm');
      expect((await stat(other.path)).dev).not.toBe((await stat(folder.path)).dev);
      sh(RANDOM_START);
      const far = { ...sandbox, drafting: { ...sandbox.drafting, folder: other.path } };
      const { note } = await run('rm -r a; mkdir -p a/x; echo 5 > a/x/y; echo 6 > f; ln -s x a/z; chmod 711 a/x', {
        sandbox: far,
      });
      expect(note).toBeUndefined();
      expect(sh('ls -d */* ; cat f a/x/y; readlink a/z; stat -c %a a/x f')).toBe('a/x\na/z\nc/f\n6\n5\nx\n711\n640\n');
      expect((await readdir(other.path)).filter((left) => left.startsWith('draft-'))).toEqual([]);
      await other.remove();
    });

    it('is applied in a folder of any name', async () => {
      const odd = at(`a,b:c\\d "e' $f\ng=*,upperdir=x`);
      await mkdir(join(odd, 'old'), { recursive: true });
      await run('rmdir old; echo x > new', { in: odd });
      expect(await readdir(odd)).toEqual(['new']);
    });

    it('can be many files', async () => {
      await mkdir(at('there'));
      const [many, more] = [scaled(20_000), scaled(2_000)];
      const { note } = await run(
        `mkdir -p many there/more; (cd many; seq ${many} | xargs touch); (cd there/more; seq ${more} | xargs touch)`,
      );
      expect(note).toBeUndefined();
      expect((await readdir(at('many'))).length).toBe(many);
      expect((await readdir(at('there/more'))).length).toBe(more);
    });

    describe('is not applied', () => {
      const left = async (command: string): Promise<string | undefined> => (await run(command)).note;

      const autoRun = [
        '.vscode/tasks.json',
        '.idea/workspace.xml',
        'sub/.vscode/tasks.json',
        '.envrc',
        'deep/er/.envrc',
        '.mcp.json',
        '.claude/settings.json',
        '.husky/pre-commit',
        'lefthook.yml',
        '.pre-commit-config.yaml',
        'x.code-workspace',
        '.devcontainer/devcontainer.json',
        '.hg/hgrc',
        '.VSCode/tasks.json',
      ];
      it('[CHANGE1] files that other programs run automatically', async () => {
        /** One command for all of them, because starting a sandbox takes longer than what it does here. */
        const leftEach = async (command: (name: string) => string): Promise<string | undefined> =>
          await left(`for f in ${autoRun.join(' ')}; do ${command('$f')}; done; echo good > good`);
        const safe = autoRun.map((name) => [name, 'safe']);
        const contents = (): Promise<(readonly string[])[]> =>
          Promise.all(autoRun.map(async (name) => [name, await readFile(at(name), 'utf8')]));
        const added = await leftEach((name) => `mkdir -p "$(dirname ${name})"; echo evil > ${name}`);
        expect(added).toContain('programs outside the sandbox');
        expect(autoRun.filter((name) => existsSync(at(name)))).toEqual([]);
        expect(existsSync(at('good'))).toBe(true);
        for (const name of autoRun) {
          await mkdir(join(at(name), '..'), { recursive: true });
          await writeFile(at(name), 'safe');
        }
        for (const way of [
          (name: string) => `echo evil > ${name}`,
          (name: string) => `rm ${name}; echo evil > ${name}`,
          (name: string) => `echo evil > e; mv e ${name}`,
        ]) {
          const note = await leftEach(way);
          expect(note?.split('run it automatically')).toHaveLength(11);
          expect(note).toContain(`and ${autoRun.length - 10} more`);
          expect(await contents()).toEqual(safe);
        }
        await leftEach((name) => `rm -r ${name}`);
        expect(await contents()).toEqual(safe);
      });

      it('[CHANGE1] removing a repository, or a folder that contains one', async () => {
        sh('git init -q .; mkdir sub; git init -q sub; echo x > sub/file');
        expect(await left('rm -rf .git sub')).toMatch(
          /\.git: only a person can .* a repository\nsub\/\.git: only a person can/,
        );
        expect(sh('ls -A sub; ls .git | grep -c HEAD')).toBe('.git\n1\n');
      });

      it('pipes, sockets and names that are not UTF-8', async () => {
        const note = await left(`mkfifo pipe; touch good $'bad\\xff'; mkdir $'d\\xff'; touch $'d\\xff/x'`);
        expect(note).toMatch(/pipe: it is a pipe/);
        expect(note).toMatch(/its name is not UTF-8/);
        expect(await readdir(folder.path)).toEqual(['good']);
      });

      it('nested folders beyond the maximum path length', async () => {
        const note = await left(
          'f=$(printf "d%.0s" {1..200}); for i in {1..30}; do mkdir $f; cd $f; done; touch x; cd /; touch /tmp/x',
        );
        expect(note).toMatch(/ddd…ddd+: its name .* path is too long/);
        expect(sh('find . -type d | wc -l; find . -type f')).toMatch(/^15\n$/);
      });

      it('setuid and setgid bits', async () => {
        await run('cp /bin/true t; chmod 6755 t');
        expect(sh('stat -c %a t')).toBe('755\n');
      });

      it('[SAFE1] files of a store that is in the folder', async () => {
        await writeFile(at('world.db'), 'SECRET-STORE');
        const unregister = registerOwnFile(at('world.db'));
        try {
          const { stdout, note } = await run(
            'cat world.db; echo x > world.db; echo x > world.db-journal; echo x > good',
          );
          expect(stdout).not.toContain('SECRET-STORE');
          expect(note).toContain('belongs to Countersign');
          expect(await readdir(folder.path)).toEqual(['good', 'world.db']);
          expect(await readFile(at('world.db'), 'utf8')).toBe('SECRET-STORE');
        } finally {
          unregister();
        }
      });

      it('changing a hard link: its other name keeps its content', async () => {
        const other = await makeFolder();
        await writeFile(join(other.path, 'victim'), 'safe');
        await link(join(other.path, 'victim'), at('hard'));
        await run('echo broken > hard; chmod 777 hard');
        expect(await readFile(join(other.path, 'victim'), 'utf8')).toBe('safe');
        expect(await readFile(at('hard'), 'utf8')).toBe('broken\n');
        await other.remove();
      });
    });

    it('is visible only to that command until it ends, while others write', async () => {
      let during: Promise<Result> | undefined;
      const first = await run('echo 1 > one; mkdir d; echo 1 > d/one; echo written; sleep 1000', {
        meanwhile: () => (during = run('ls -A; mkdir d; echo 2 > d/two')),
      });
      expect((await during)?.stdout).toBe('');
      expect(first.note).toBeUndefined();
      expect(sh('find . -type f | sort')).toBe('./d/one\n./d/two\n./one\n');
    });

    it('works with Git: add, commit and checkout', async () => {
      sh('git init -q .');
      const { stdout, note } = await run(
        'echo x > file; git add file && git -c user.name=a -c user.email=a@b commit -qm first && git checkout -q -b other && git log --format=%s',
      );
      expect({ stdout, note }).toEqual({ stdout: 'first\n', note: undefined });
      expect(sh('git log --format=%s; git branch --show-current; git status --short')).toBe('first\nother\n');
    });

    it('is cleaned up if its process is gone, even if our process now has the same PID', async () => {
      const drafts = at('drafts');
      await mkdir(drafts, { mode: 0o700 });
      const [mine, before, dead] = await Promise.all([1, 2, 3].map(() => makeCallFolder(drafts)));
      await utimes(before ?? '', 1, 1);
      const gone = (dead ?? '').replace(`-${process.pid}-`, '-4194303-');
      await rename(dead ?? '', gone);
      await mkdir(join(drafts, 'someone-elses'));
      await sweepFolders({ folder: drafts, flock: 'flock' });
      expect((await readdir(drafts)).sort()).toEqual([basename(mine ?? ''), 'someone-elses']);
    });

    it.runIf(process.platform === 'linux')(
      'is cleaned up if its process was killed and still has its PID',
      async () => {
        const drafts = at('drafts');
        await mkdir(drafts, { mode: 0o700 });
        // The shell becomes a program that never asks how its child ended.
        const parent = spawn('sh', ['-c', 'sleep 100 & echo $!; exec sleep 100']);
        try {
          const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
          const killed = Number(String(pid));
          await expect.poll(() => readFile(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
          process.kill(killed, 'SIGKILL');
          await expect.poll(() => readFile(`/proc/${killed}/stat`, 'utf8')).toMatch(/\) Z /);
          const left = await makeCallFolder(drafts);
          await rename(left, left.replace(`-${process.pid}-`, `-${killed}-`));
          await sweepFolders({ folder: drafts, flock: 'flock' });
          expect(await readdir(drafts)).toEqual([]);
        } finally {
          parent.kill('SIGKILL');
        }
      },
    );

    it('leaves no draft behind after it was applied', async () => {
      if (sandbox.kind !== 'bubblewrap') return;
      // Other tests of this worker may keep drafts there, such as those of a batch that nobody decided.
      const { folder } = sandbox.drafting;
      const before = new Set(await readdir(folder));
      await run('mkdir closed; touch closed/x; chmod 0 closed; mkdir -p .vscode/closed; chmod 0 .vscode/closed');
      const left = (await readdir(folder)).filter((name) => !before.has(name));
      expect(left.filter((name) => name.includes(`-${process.pid}-`))).toEqual([]);
    });
  },
);
