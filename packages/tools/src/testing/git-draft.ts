import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  makeCallFolder,
  readDiskClock,
  readGitChange,
  keepStartRefs,
  runProgram,
  type DiskMoment,
  type EndedDraft,
  type GitChange,
  type PlannedChange,
} from '@countersign/changes';
import { findSandbox } from '../sandbox/find-sandbox.js';
import { bubblewrapBase, type Bubblewrap } from '../sandbox/bubblewrap-arguments.js';
import { readInDraft } from '../sandbox/draft/in-draft.js';
import { placeArguments, writeArguments, type DraftFolders } from '../sandbox/draft/drafting.js';

/** A folder with a repository, and a draft of it in which scripts run. */
export interface GitDraft extends DraftFolders {
  readonly path: string;
  readonly since: DiskMoment;
  /** Runs a shell script outside, as the person. */
  outside(script: string): string;
  /** Runs a shell script in the draft, as the agent. */
  inside(script: string): Promise<string>;
  read(more?: Partial<EndedDraft>, files?: PlannedChange): Promise<GitChange>;
  remove(): Promise<void>;
}

const PERSON = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};
const AGENT = {
  ...PERSON,
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@example.com',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@example.com',
};

/** Undefined where no overlay can be mounted in a sandbox. */
export async function findOverlaySandbox(): Promise<Bubblewrap | undefined> {
  const sandbox = await findSandbox();
  return sandbox.kind === 'bubblewrap' && sandbox.drafting.how !== 'copy' ? sandbox : undefined;
}

/** `setUp` runs in the folder before the run starts. It has one commit with `a.txt` and `src/b.txt` on `main`. */
export async function openGitDraft(sandbox: Bubblewrap, setUp = ':'): Promise<GitDraft> {
  const { drafting } = sandbox;
  if (drafting.how === 'copy') throw new Error('needs an overlay');
  const path = await realpath(await mkdtemp(join(tmpdir(), 'countersign-test-')));
  const outside = (script: string): string =>
    execFileSync('/bin/bash', ['--norc', '-euc', script], { cwd: path, env: PERSON, encoding: 'utf8' });
  outside(
    `git init -q -b main; mkdir src; echo a > a.txt; echo b > src/b.txt; git add -A; git commit -qm first; ${setUp}`,
  );
  const root = await makeCallFolder(drafting.folder);
  const at = (name: string): string => join(root, name);
  const folders = { root, upper: at('upper'), work: at('work'), lower: at('lower'), merged: at('merged') };
  for (const name of ['upper', 'work', 'lower', 'merged']) await mkdir(at(name), { mode: 0o700 });
  await chmod(folders.upper, (await stat(path)).mode & 0o7777);
  const since = await readDiskClock(at('clock'));
  await keepStartRefs(root, path);
  const inSandbox = readInDraft(sandbox, folders, path);
  return {
    ...folders,
    path,
    since,
    outside,
    async inside(script) {
      const words = [...bubblewrapBase(sandbox, { network: 'none' }), ...placeArguments(drafting, folders, path)];
      const all = [
        ...writeArguments(drafting, folders, path),
        ...[sandbox.program, ...words, '--chdir', path, '/bin/bash', '--norc', '-euc', script],
      ];
      return String(await runProgram(all, { env: AGENT }));
    },
    read: (more, files) => readGitChange({ root, workingDirectory: path, inSandbox, ...more }, files),
    async remove() {
      await rm(root, { recursive: true, force: true });
      await rm(path, { recursive: true, force: true });
    },
  };
}
