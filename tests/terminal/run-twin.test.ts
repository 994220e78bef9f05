import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../support/scaled.js';
import { canRun, openRunGround, type RunGround } from './run-ground.js';

const LIMIT = { timeout: 120_000 };

/**
 * Scripts for `sh`, as an agent would run them. Commits have fixed times, so that equal ones have equal names. The first needs a clean working tree.
 * None stages what it doesn't commit: the index is rebuilt.
 */
const SESSIONS = {
  rewrite: [
    'git checkout -q -b side; echo side > side.txt; git add side.txt; git commit -qm side; git checkout -q main',
    'echo main > main.txt; git add main.txt; git commit -qm main; git rebase -q main side; git checkout -q main; git merge -q --ff-only side',
    'git branch -D -q gone; echo stashed > a.txt; git stash -q; git stash pop -q; git gc -q --prune=now',
  ],
  edit: [
    'printf "one\\ntwo\\n" > src/new.txt; sed -i s/before/after/ a.txt; mv src/moved.txt "src/with space ü.txt"; rm b.txt',
    'chmod 755 src/tool.sh; ln -s ../a.txt src/link; rm -r old; mkdir -p deep/er; head -c 70000 /dev/zero > deep/er/zeros',
    'printf "\\000\\377\\n" > binary; : > empty; chmod 640 kept.txt; rm kept-link; mkdir kept-link; echo x > kept-link/file',
  ],
  test: ['node --test test/*.test.mjs > /dev/null && echo passed > test.log'],
  build: ['node build.mjs; cp dist/out.js src/built.js'],
  commit: [
    'git add a.txt src && git commit -qm "feat: first"; echo more >> a.txt; git commit -qam "fix: second"',
    'git branch feature HEAD~1; git tag v1; git tag -am "A release" v2; echo draft > uncommitted.txt',
  ],
  install: [
    'npm install --offline --no-audit --no-fund ./local >/dev/null 2>&1; node -e "require(\'local\')" > installed.txt',
  ],
  'dev server': [
    'node server.mjs > port.txt & server=$!; until [ -s port.txt ]; do :; done',
    "node -e \"fetch('http://127.0.0.1:' + require('fs').readFileSync('port.txt', 'utf8').trim()).then((r) => r.text()).then((t) => require('fs').writeFileSync('page.html', t))\"",
    'kill $server; wait $server; rm port.txt',
  ],
} as const;
const NAMES = Object.keys(SESSIONS) as (keyof typeof SESSIONS)[];
/** Each alone, and all in one run. `npm test` has one run of two. */
const TRIED: readonly (readonly (keyof typeof SESSIONS)[])[] = isFullSize
  ? [...NAMES.map((name) => [name] as const), NAMES]
  : [['edit', 'commit']];

describe.skipIf(!canRun)('a session in a run', () => {
  let ground: RunGround;
  beforeAll(async () => {
    ground = await openRunGround();
  });
  afterAll(() => ground.close());

  it.each(TRIED.map((names, at) => [names.join(', '), names, at] as const))(
    '[RUN15] [RUN24] equals its twin without one, to the byte (%s)',
    LIMIT,
    async (_, names, at) => {
      const lines = names.flatMap((name) => SESSIONS[name]);
      const script = [
        'export GIT_AUTHOR_DATE="2030-01-01T00:00:00Z" GIT_COMMITTER_DATE="2030-01-01T00:00:00Z"',
        ...lines,
      ];
      const [twin, project] = [join(ground.path, `twin-${at}`), join(ground.path, `project-${at}`)];
      for (const folder of [twin, project]) makeProject(folder);
      execFileSync('sh', ['-c', script.join('\n')], {
        cwd: twin,
        env: ground.env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const world = `project-${at}`;
      await ground.client().createWorld({ name: world, workingDirectory: project, mode: 'ask' });
      const { ended } = ground.start(project, 'run', '--', 'sh', '-c', script.join('\n'));
      const waiting = async () => (await ground.client().approvals(world)).items;
      await expect.poll(async () => (await waiting()).length, LIMIT).toBe(1);
      const [approval] = await waiting();
      if (approval === undefined) throw new Error('nothing waits');
      await ground.client().decide(world, approval, { decision: 'approve', scope: 'once' });
      expect((await ended).stderr).toContain('The changes were applied.');
      const notApplied = approval.effect?.run?.notApplied?.map(({ path }) => path) ?? [];
      expect(approval.effect?.leftOut).toEqual([]);
      expect(filesOf(project, notApplied)).toEqual(filesOf(twin, notApplied));
      expect(gitOf(project)).toEqual(gitOf(twin));
      expect(notApplied.every((path) => ['dist', 'node_modules'].includes(path))).toBe(true);
    },
  );
});

function makeProject(folder: string): void {
  for (const below of ['src', 'old', 'test', 'local']) mkdirSync(join(folder, below), { recursive: true });
  const files = {
    'a.txt': 'before\n',
    'b.txt': 'b\n',
    'kept.txt': 'kept\n',
    'src/moved.txt': 'moved\n',
    'src/tool.sh': '#!/bin/sh\n',
    'old/one.txt': 'one\n',
    '.gitignore': 'dist\nnode_modules\n',
    'package.json': '{ "name": "twin", "version": "1.0.0", "private": true }\n',
    'local/package.json': '{ "name": "local", "version": "1.0.0" }\n',
    'local/index.js': 'console.log("local");\n',
    'test/one.test.mjs': "import test from 'node:test';\ntest('one', () => undefined);\n",
    'build.mjs': "import fs from 'node:fs';\nfs.mkdirSync('dist');\nfs.writeFileSync('dist/out.js', 'built');\n",
    'server.mjs':
      "import http from 'node:http';\nconst s = http.createServer((_, r) => r.end('<p>hi')).listen(0, '127.0.0.1', () => console.log(s.address().port));\n",
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  chmodSync(join(folder, 'src/tool.sh'), 0o644);
  execFileSync('ln', ['-s', 'kept.txt', 'kept-link'], { cwd: folder });
  const date = '2029-01-01T00:00:00Z';
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  for (const words of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'Ann'],
    ['config', 'user.email', 'ann@example.com'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
    ['branch', 'gone'],
  ])
    execFileSync('git', words, { cwd: folder, env });
}

/** Kind, mode and content of every path, except those of Git and those that are not applied. */
function filesOf(folder: string, notApplied: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (['.git', ...notApplied].some((one) => path === one || path.startsWith(`${one}/`))) continue;
    const at = join(folder, path);
    const stats = lstatSync(at);
    const content = stats.isFile()
      ? createHash('sha256').update(readFileSync(at)).digest('hex')
      : stats.isSymbolicLink()
        ? readlinkSync(at)
        : 'folder';
    found[path] = `${stats.isSymbolicLink() ? '' : (stats.mode & 0o7777).toString(8)} ${content}`;
  }
  return found;
}

function gitOf(folder: string): Record<string, string> {
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
  git('fsck', '--full', '--strict');
  return {
    refs: git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags'),
    head: git('symbolic-ref', 'HEAD'),
    status: git('status', '--porcelain'),
  };
}
