import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  readGitChange,
  runProgram,
  type EndedDraft,
  type GitChange,
  type KeptRuns,
  type KeptUndos,
  type PlannedChange,
} from '@countersign/changes';
import type { ProtectedPaths } from '@countersign/core/ports';
import type { Effect } from '@countersign/protocol';
import { runDrafts } from '../run/kept/run-drafts.js';
import { sharedSandbox } from './shared-sandbox.js';
import { bubblewrapBase, type Bubblewrap } from '../sandbox/bubblewrap-arguments.js';
import { readInDraft } from '../sandbox/draft/in-draft.js';
import { placeArguments, writeArguments, type DraftFolders } from '../sandbox/draft/drafting.js';

/** A folder with a repository, and a draft of it in which scripts run. */
export interface GitDraft extends DraftFolders {
  readonly path: string;
  /** Runs a shell script outside, as the person. */
  outside(script: string): string;
  /** Like `outside`, without blocking this process. */
  meanwhile(script: string): Promise<string>;
  /** Runs a shell script in the draft, as the agent. */
  inside(script: string): Promise<string>;
  /** A shell that stays in the draft, as the agent. Commands run one by one; failures are ignored. */
  shell(): { run(command: string): Promise<void>; end(): Promise<void> };
  read(more?: Partial<EndedDraft>, files?: PlannedChange): Promise<GitChange>;
  /** Ends the run and seals its change. */
  seal(): Promise<Effect>;
  /** Applies the sealed change, and returns the id of the call that did. */
  apply(effect: Effect): Promise<string>;
  readonly kept: KeptRuns & { readonly id: string };
  readonly undos: KeptUndos;
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
  const sandbox = await sharedSandbox();
  return sandbox.kind === 'bubblewrap' && sandbox.drafting.how !== 'copy' ? sandbox : undefined;
}

/** `setUp` runs in the folder before the run starts. It has one commit with `a.txt` and `src/b.txt` on `main`. */
export async function openGitDraft(sandbox: Bubblewrap, setUp = ':', branch?: string): Promise<GitDraft> {
  const { drafting } = sandbox;
  if (drafting.how === 'copy') throw new Error('needs an overlay');
  const path = await realpath(await mkdtemp(join(tmpdir(), 'countersign-test-')));
  const outside = (script: string): string =>
    execFileSync('/bin/bash', ['--norc', '-euc', script], { cwd: path, env: PERSON, encoding: 'utf8' });
  outside(
    `git init -q -b main; mkdir src; echo a > a.txt; echo b > src/b.txt; git add -A; git commit -qm first; ${setUp}`,
  );
  const drafts = runDrafts(sandbox, [path]);
  if ('refused' in drafts) throw new Error(drafts.refused);
  const { kept, undos } = drafts;
  const id = `run_${crypto.randomUUID()}`;
  const about = { program: ['agent', 'work'], exitCode: 0 };
  const { root } = await kept.start({
    ...{ id, worldId: 'world', agentId: 'agent', by: {}, folder: path, startedAt: 0, program: about.program },
    ...{ hidden: [], trackedHidden: false, hosts: [], supervisor: { pid: 1, started: '1' } },
    ...(branch === undefined ? {} : { branch }),
  });
  const at = (name: string): string => join(root, name);
  const folders = { root, upper: at('upper'), work: at('work'), lower: at('lower'), merged: at('merged') };
  const inSandbox = readInDraft(sandbox, folders, path);
  let calls = 0;
  const inDraft = (...command: string[]): string[] => {
    const words = [...bubblewrapBase(sandbox, { network: 'none' }), ...placeArguments(drafting, folders, path)];
    return [...writeArguments(drafting, folders, path), ...[sandbox.program, ...words, '--chdir', path, ...command]];
  };
  return {
    ...folders,
    path,
    outside,
    meanwhile: async (script) =>
      String(await runProgram(['/bin/bash', '--norc', '-euc', script], { cwd: path, env: PERSON })),
    inside: async (script) => String(await runProgram(inDraft('/bin/bash', '--norc', '-euc', script), { env: AGENT })),
    shell() {
      const [program = '', ...words] = inDraft('/bin/bash', '--norc', '--noprofile');
      const child = spawn(program, words, { cwd: '/', env: AGENT, stdio: ['pipe', 'pipe', 'ignore'] });
      const ended = once(child, 'close');
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      let count = 0;
      return {
        async run(command) {
          count += 1;
          const mark = `done-${count}-`;
          child.stdin.write(`{ ${command}; } > /dev/null 2>&1 < /dev/null; echo ${mark}\n`);
          while (!said.includes(mark)) await once(child.stdout, 'data');
        },
        async end() {
          child.stdin.end();
          await ended;
        },
      };
    },
    read: (more, files) => readGitChange({ root, workingDirectory: path, inSandbox, ...more }, files),
    async seal() {
      const ended = { exitCode: 0, why: 'exited', hosts: [], variables: [], ports: [], notes: [] } as const;
      await kept.noteEnd(id, { ...ended, hosts: [], variables: [], ports: [], notes: [] });
      const protectedPaths = { isProtected: () => false, list: () => [] } as unknown as ProtectedPaths;
      const signal = new AbortController().signal;
      const effect = await drafts.seal(id, { protectedPaths, about, signal });
      if (effect === undefined) throw new Error((await kept.read(id))?.status?.reason ?? 'unchanged');
      return effect;
    },
    async apply({ effectHash }) {
      calls += 1;
      const callId = `call-${path.slice(-6)}-${calls}`;
      await kept.bind(id, { callId, chatId: 'chat' });
      await kept.apply(id, callId, { effectHash, rules: {} });
      return callId;
    },
    kept: { ...kept, id },
    undos,
    async remove() {
      await rm(root, { recursive: true, force: true });
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Opens drafts for one test after the other, and removes them. */
export function gitDrafts(sandbox: Bubblewrap | undefined): {
  open: (setUp?: string, branch?: string) => Promise<GitDraft>;
  close: (check?: (draft: GitDraft) => unknown) => Promise<void>;
} {
  const opened: GitDraft[] = [];
  return {
    async open(setUp, branch) {
      if (sandbox === undefined) throw new Error('no sandbox');
      const draft = await openGitDraft(sandbox, setUp, branch);
      opened.push(draft);
      return draft;
    },
    async close(check) {
      for (const draft of opened.splice(0)) {
        check?.(draft);
        await draft.remove();
      }
    },
  };
}
