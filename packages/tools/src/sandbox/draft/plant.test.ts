import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { appendFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, sampled, scaled } from '../../../../../tests/support/scaled.js';
import { shellCmd } from '../../shell/shell-cmd.js';
import { findSandboxes } from '../../testing/find-sandboxes.js';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { tryTool } from '../../testing/try-tool.js';
import type { Sandbox } from '../sandbox.js';

/** With copies only at full size. */
const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);
const none: Sandbox = { kind: 'none', reason: 'left out on purpose' };

/** The user's own Git, independent of this machine's configuration. */
const env = { PATH: process.env['PATH'], HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
const git = (cwd: string, ...words: string[]): string =>
  execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

interface Plant {
  name: string;
  /** Files that the user already has there. */
  before?: (folder: string) => Promise<void> | void;
  /** Uses `$EVIL`, the configuration of a repository in which Git runs a program. */
  command: string;
  /** Where the user runs Git. Default: the folder itself. */
  at?: string;
  ask?: string[];
}

let template = '';
/** Copied, because four processes per repository take longer than the rest of the test. */
const repository = (folder: string): void => cpSync(template, folder, { recursive: true });
const bare = 'mkdir -p objects refs; echo "ref: refs/heads/main" > HEAD; printf "$EVIL\\n\\tworktree = .\\n" > config';
const nested = `git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && echo "$EVIL" > .git/config`;

/** Bash text that writes a program to a path. */
const script = (path: string): string => `printf "#!/bin/sh\\ntouch $VICTIM\\n" > ${path}; chmod +x ${path}`;

const plants: Plant[] = [
  { name: 'a repository of the folder itself, without a .git', command: bare },
  { name: 'one in a new folder', command: `mkdir new; cd new; ${bare}`, at: 'new' },
  { name: 'one beside a .git that is broken for it', before: repository, command: `rm .git/HEAD; ${bare}` },
  { name: 'one that is moved into place at once', command: `mkdir x; cd x; ${bare}; mv * ..`, at: '.' },
  {
    name: 'one whose parts came before',
    before: (f) => writeFile(join(f, 'HEAD'), 'ref: refs/heads/main\n'),
    command: bare,
  },
  { name: 'a new .git', command: nested },
  { name: 'a new .git in a folder that is there', before: repository, command: `cd sub; ${nested}`, at: 'sub' },
  {
    name: 'a new .GIT or its like, as far as this disk tells them apart',
    command: `${nested}; mv .git .GIT; ln -s .GIT .git`,
  },
  {
    name: 'a submodule, which Git reads automatically',
    before: repository,
    command: `mkdir m; (cd m; ${nested}); git update-index --add --cacheinfo 160000,$(git -C m rev-parse HEAD),m`,
  },
  {
    name: 'a .git file that points elsewhere',
    command: `mkdir x; (cd x; ${bare}); echo 'gitdir: x' > .git`,
  },
  { name: 'settings of the repository', before: repository, command: 'echo "$EVIL" >> .git/config' },
  { name: 'settings, in a recreated .git', before: repository, command: `mv .git g; ${nested}` },
  { name: 'settings, in a .git that is removed before', before: repository, command: `rm -rf .git; ${nested}` },
  {
    name: 'settings of one worktree',
    before: (folder) => {
      repository(folder);
      git(folder, 'config', 'extensions.worktreeConfig', 'true');
    },
    command: 'echo "$EVIL" > .git/config.worktree',
  },
  {
    name: 'settings from another folder',
    before: repository,
    command: 'mkdir -p evil/objects evil/refs; echo "$EVIL" > evil/config; echo ../evil > .git/commondir',
  },
  {
    name: 'a file that the settings include',
    before: (folder) => {
      repository(folder);
      git(folder, 'config', 'include.path', '../shared.cfg');
    },
    command: 'echo "$EVIL" > shared.cfg',
  },
  {
    name: 'settings of a bare repository that is there',
    before: async (folder) => {
      await mkdir(join(folder, 'store'));
      git(join(folder, 'store'), 'init', '-q', '--bare');
    },
    command: 'printf "$EVIL\\n\\tworktree = .\\n" > store/config',
    at: 'store',
  },
  {
    name: 'a hook',
    before: repository,
    command: 'printf "#!/bin/sh\\ntouch $VICTIM\\n" > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout',
    ask: ['checkout', '-q', '--detach'],
  },
  {
    name: 'a hook in a folder that the settings name',
    before: async (folder) => {
      repository(folder);
      await mkdir(join(folder, 'scripts', 'hooks'), { recursive: true });
      git(folder, 'config', 'core.hooksPath', 'scripts/hooks');
    },
    command:
      'mkdir -p e/hooks scripts/hooks; printf "#!/bin/sh\\ntouch $VICTIM\\n" | tee e/hooks/post-checkout > scripts/hooks/post-checkout; chmod +x */hooks/*; mv scripts s; ln -s e scripts',
    ask: ['checkout', '-q', '--detach'],
  },
  {
    name: 'hooks that are a link into the folder',
    before: async (folder) => {
      repository(folder);
      await mkdir(join(folder, 'hooks'));
      rmSync(join(folder, '.git', 'hooks'), { recursive: true });
      await symlink('../hooks', join(folder, '.git', 'hooks'));
    },
    command: 'printf "#!/bin/sh\\ntouch $VICTIM\\n" > hooks/post-checkout; chmod +x hooks/post-checkout',
    ask: ['checkout', '-q', '--detach'],
  },
  {
    name: 'a hook in a folder that the settings name on one line, with a comment',
    before: async (folder) => {
      repository(folder);
      await appendFile(join(folder, '.git', 'config'), '[core] hooksPath = "my-hooks" ; of the team\n');
    },
    command: `mkdir -p my-hooks; ${script('my-hooks/post-checkout')}`,
    ask: ['checkout', '-q', '--detach'],
  },
  {
    name: 'a hook in a folder that a setting of another file names',
    before: async (folder) => {
      repository(folder);
      await writeFile(join(folder, 'team.cfg'), '[core]\n\thooksPath = my-hooks\n');
      git(folder, 'config', 'include.path', '../team.cfg');
    },
    command: `mkdir -p my-hooks; ${script('my-hooks/post-checkout')}`,
    ask: ['checkout', '-q', '--detach'],
  },
  {
    name: 'a script that a hook is a link to',
    before: async (folder) => {
      repository(folder);
      await symlink('../../sub/check', join(folder, '.git', 'hooks', 'post-checkout'));
    },
    command: script('sub/check'),
    ask: ['checkout', '-q', '--detach'],
  },
  {
    name: 'a program that the settings name',
    before: (folder) => {
      repository(folder);
      git(folder, 'config', 'core.fsmonitor', 'sub/watch --fast');
    },
    command: script('sub/watch'),
  },
  {
    name: 'a program that an alias names',
    before: (folder) => {
      repository(folder);
      git(folder, 'config', 'alias.tidy', '!sh "./sub/tidy.sh" all');
    },
    command: script('sub/tidy.sh'),
    ask: ['tidy'],
  },
  {
    name: 'a hook of a repository in a subfolder',
    before: async (folder) => {
      await mkdir(join(folder, 'a/b/c/d/e'), { recursive: true });
      repository(join(folder, 'a/b/c/d/e'));
      git(join(folder, 'a/b/c/d/e'), 'config', 'core.hooksPath', 'checks');
    },
    command: `mkdir -p a/b/c/d/e/checks; ${script('a/b/c/d/e/checks/post-checkout')}`,
    at: 'a/b/c/d/e',
    ask: ['checkout', '-q', '--detach'],
  },
  {
    name: 'a hook of a worktree',
    before: async (folder) => {
      await mkdir(join(folder, 'main'));
      repository(join(folder, 'main'));
      git(join(folder, 'main'), 'config', 'core.hooksPath', 'checks');
      git(join(folder, 'main'), 'worktree', 'add', '-q', '--detach', '../tree');
    },
    command: `mkdir -p tree/checks; ${script('tree/checks/post-checkout')}`,
    at: 'tree',
    ask: ['checkout', '-q', 'HEAD', '--detach'],
  },
  {
    name: 'a rebase that runs a command',
    before: repository,
    command:
      'git -c user.name=a -c user.email=a@b -c sequence.editor="sed -i 1ibreak" rebase -i --root; echo "exec touch $VICTIM" >> .git/rebase-merge/git-rebase-todo',
    ask: ['-c', 'user.name=a', '-c', 'user.email=a@b', 'rebase', '--continue'],
  },
  {
    name: 'a rebase whose merge strategy is a path',
    before: (folder) => {
      repository(folder);
      for (const name of ['second', 'third']) {
        execFileSync('bash', ['-c', `echo x > ${name}`], { cwd: folder });
        git(folder, 'add', '.');
        git(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', name);
      }
    },
    command: [
      'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b',
      'git -c sequence.editor="sed -i 1ibreak" rebase -i HEAD~2',
      'git commit --allow-empty -m other',
      `mkdir git-merge-x; ${script('evil')}; echo x/../evil > .git/rebase-merge/strategy`,
    ].join('; '),
    ask: ['-c', 'user.name=a', '-c', 'user.email=a@b', 'rebase', '--continue'],
  },
  {
    name: 'a hook at the top of the files',
    before: (folder) => {
      repository(folder);
      git(folder, 'config', 'core.hooksPath', folder);
    },
    command: script('post-checkout'),
    ask: ['checkout', '-q', '--detach'],
  },
];

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[CHANGE1] Git, run by the user, runs nothing that a command planted ($drafts)',
  ({ sandbox }) => {
    let outside: TestFolder;
    let folder: TestFolder;
    let victim: string;
    beforeAll(() => {
      template = mkdtempSync(join(tmpdir(), 'countersign-plant-'));
      git(template, 'init', '-q');
      execFileSync('bash', ['-c', 'echo x > file; mkdir sub; echo y > sub/file'], { cwd: template });
      git(template, 'add', '.');
      git(template, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
    });
    afterAll(() => rmSync(template, { recursive: true, force: true }));
    beforeEach(async () => {
      outside = await makeFolder();
      folder = await makeFolder();
      victim = join(outside.path, 'made-outside');
    });
    afterEach(async () => {
      await outside.remove();
      await folder.remove();
    });

    const plant = async (command: string, more: { kind?: Sandbox; meanwhile?: () => void } = {}) => {
      let { meanwhile } = more;
      // More than fits into a pipe: while `meanwhile` keeps us from reading, the command can't end.
      const rest = meanwhile === undefined ? '' : `printf '%500000s'`;
      const evil = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "touch ${victim}; false"`;
      const text = `export EVIL='${evil}' VICTIM='${victim}' HOME=/nowhere; { ${command}; } >/dev/null 2>&1; echo planted; ${rest}`;
      return await tryTool(
        shellCmd({ sandbox: more.kind ?? sandbox }),
        { command: text },
        {
          workingDirectory: folder.path,
          output: () => {
            meanwhile?.();
            meanwhile = undefined;
          },
        },
      );
    };

    const runGit = ({ at = '.', ask = ['status'] }: Plant): void => {
      // Without a repository, or with a broken one, Git fails, which is fine.
      const all = [ask, ['status'], ['diff', '--stat'], ['stash', 'list']].map((words) => `git ${words.join(' ')}`);
      for (const where of new Set([at, '.'])) {
        const cwd = join(folder.path, where);
        if (existsSync(cwd)) execFileSync('bash', ['-c', `${all.join('; ')}; true`], { cwd, env, stdio: 'ignore' });
      }
    };

    it.each(sampled(plants, 10))('$name', async (planted) => {
      await planted.before?.(folder.path);
      let asked = 0;
      const during = await plant(planted.command, {
        meanwhile() {
          runGit(planted);
          asked += 1;
          expect(existsSync(victim)).toBe(false);
        },
      });
      expect(asked).toBe(1);
      // If Git itself wrote to the same files, that is a conflict and nothing was applied.
      const tried = during.ok ? during : await plant(planted.command);
      expect(tried.ok).toBe(true);
      runGit(planted);
      expect(existsSync(victim)).toBe(false);
      expect(tried.result).toMatchObject({
        note: expect.stringContaining('Not everything the command wrote') as string,
      });
      // Without the sandbox it runs, which proves that the attack works.
      await plant(planted.command, { kind: none });
      runGit(planted);
      expect(existsSync(victim)).toBe(true);
    });

    it('Git writes nowhere else when the user runs it', async () => {
      repository(folder.path);
      const rc = join(outside.path, 'shellrc');
      await writeFile(rc, 'safe\n');
      const command = `for f in logs/HEAD COMMIT_EDITMSG; do ln -sf '${rc}' .git/$f; done`;
      const use = (): void => {
        try {
          git(folder.path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'mine');
        } catch {
          // The planted files broke the repository.
        }
      };
      const tried = await plant(command);
      expect(tried.result).toMatchObject({ note: expect.stringContaining('Git would follow this link') as string });
      use();
      expect(await readFile(rc, 'utf8')).toBe('safe\n');
      expect(git(folder.path, 'log', '-1', '--format=%s')).toBe('mine\n');
      await plant(command, { kind: none });
      use();
      expect(await readFile(rc, 'utf8')).not.toBe('safe\n');
    });

    it('Git runs nothing even while a process that the command left behind keeps planting files', async () => {
      // With closed outputs, nothing outside shows that it is still running. Renames swap the plant in and out as fast as
      // possible.
      const loop = `perl -e 'while (1) { rename "ok/x", ".git"; rename ".git", "ok/x" }'`;
      for (let round = 0; round < scaled(10, 1); round += 1) {
        const tried = await plant(
          `mkdir -p many ok/x; touch many/{1..300}; for i in 1 2 3 4; do (exec > /dev/null 2>&1; mkdir -p $i/ok/x; cd $i; ${loop}) & done; sleep 0.05`,
        );
        expect(tried.ok).toBe(true);
        expect(execFileSync('find', [folder.path, '-name', '.git'], { encoding: 'utf8' })).toBe('');
        execFileSync('bash', ['-c', 'rm -rf ./*'], { cwd: folder.path });
      }
    });
  },
);
