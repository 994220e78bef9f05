import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Approval, Run } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { isFullSize } from '../support/scaled.js';
import { canRun, openRunGround, type RunGround } from './run-ground.js';

/** Kills of each victim. They happen to several runs at once. */
const KILLS = isFullSize ? Number(process.env['RUN_KILLS'] ?? 100) : 1;
const AT_ONCE = Math.min(5, KILLS);
/** What a run does when it is killed, after a random delay. Each in turn; `npm test` has the last one only. */
const PHASES = ['starts', 'works', 'waits', 'was signed'] as const;
const DELAY_MS = 400;

/** Steps whose order shows how far it came, then a commit, then a change and a removal. A moved file is never half written. */
const PROGRAM = [
  'for i in 1 2 3 4 5 6 7 8 9; do echo "$i" > .part; mv .part "f$i"; mkdir -p "d$i"; echo "$i" > "d$i/x"; done',
  'git add -A; git commit -qm work',
  'echo changed > a.txt; rm b.txt; exit 3',
].join('\n');

const VICTIMS = ['program', 'supervisor', 'server'] as const;
type Victim = (typeof VICTIMS)[number];

describe.skipIf(!canRun)('[RUN19] [RUN3.3] a run that loses a process at a random moment', () => {
  it.each(isFullSize ? VICTIMS : (['server'] as const))(
    'leaves the folder as before or as signed (%s)',
    async (victim) => {
      const ground = await openRunGround();
      const seen: Record<string, number> = {};
      try {
        for (let done = 0; done < KILLS; done += AT_ONCE)
          for (const state of await killSome(ground, victim, done)) seen[state] = (seen[state] ?? 0) + 1;
      } finally {
        await ground.close();
      }
      expect(Object.values(seen).reduce((sum, count) => sum + count, 0)).toBe(KILLS);
      process.stdout.write(`${KILLS} kills of a run's ${victim}: ${JSON.stringify(seen)}\n`);
    },
    isFullSize ? 2 * 3_600_000 : 120_000,
  );
});

/** The states in which the runs ended. */
async function killSome(ground: RunGround, victim: Victim, from: number): Promise<readonly string[]> {
  const lab = Array.from({ length: AT_ONCE }, (_, at) => openProject(ground, `project-${victim}-${from + at}`));
  const projects = await Promise.all(lab);
  const started = projects.map(({ path }) => ground.start(path, 'run', '--json', '--', 'sh', '-c', PROGRAM));
  const stop = new AbortController();
  const deciding = decideAll(ground, projects, stop.signal);
  const moment = async (at: number): Promise<void> => {
    const phase = isFullSize ? (from + at) % PHASES.length : PHASES.length - 1;
    const isThere = (): boolean => (projects[at]?.phase ?? 0) >= phase || started[at]?.process.exitCode !== null;
    await expect.poll(isThere, { timeout: 60_000, interval: 5 }).toBe(true);
    await after(Math.random() * DELAY_MS);
  };
  if (victim === 'server') {
    // Once for all: each of them is somewhere else.
    await moment((from / AT_ONCE) % AT_ONCE);
    await ground.killServer();
    await ground.startServer();
  } else {
    await Promise.all(
      started.map(async ({ process: command }, at) => {
        await moment(at);
        if (victim === 'supervisor') command.kill('SIGKILL');
        else killOneBelow(command.pid ?? 0);
      }),
    );
  }
  await Promise.all(started.map(({ ended }) => ended));
  if (victim === 'supervisor') {
    // At its start, the server looks after runs that have lost theirs.
    await ground.killServer();
    await ground.startServer();
  }
  const runs = await Promise.all(projects.map((project) => settled(ground, project)));
  for (const [at, project] of projects.entries()) {
    const run = runs[at];
    if (run?.state === 'failed') runs[at] = await applyAgain(ground, project, run);
  }
  stop.abort();
  await deciding;
  projects.forEach((project, at) => check(project, runs[at]));
  const left = (): readonly string[] => readdirSync('/proc').filter((pid) => isIn(pid, ground.path));
  await expect.poll(left).toEqual([]);
  await Promise.all(projects.map(({ world, path }) => forget(ground, world, path, runs)));
  return runs.map((run) => run?.state ?? 'not started');
}

interface Project {
  readonly world: string;
  readonly path: string;
  readonly head: string;
  /** Which of `PHASES` its run has reached. */
  phase: number;
  /** What was signed. */
  signed?: Approval;
}

async function openProject(ground: RunGround, world: string): Promise<Project> {
  const path = join(ground.path, world);
  mkdirSync(path);
  for (const name of ['a.txt', 'b.txt', 'kept.txt']) writeFileSync(join(path, name), 'before\n');
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'config', 'user.name', 'Ann');
  git(path, 'config', 'user.email', 'ann@example.com');
  git(path, 'add', '-A');
  git(path, 'commit', '-qm', 'start');
  await ground.client().createWorld({ name: world, workingDirectory: path, mode: 'ask' });
  return { world, path, head: git(path, 'rev-parse', 'main'), phase: 0 };
}

/** Signs what waits, or denies a tenth of it, as soon as it waits. */
async function decideAll(ground: RunGround, projects: Project[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const project of projects) await decide(ground, project).catch(() => undefined);
    await after(20);
  }
}

async function decide(ground: RunGround, project: Project): Promise<void> {
  const client = ground.client();
  if (project.phase === 0 && (await client.runs.list(project.world)).items.length > 0) project.phase = 1;
  const [approval] = (await client.approvals(project.world)).items;
  if (approval === undefined) return;
  project.phase = Math.max(2, project.phase);
  if (Math.random() < 0.1) return void (await client.decide(project.world, approval, { decision: 'deny' }));
  // Before it is sent: the server may die between storing the signature and answering.
  project.signed = approval;
  project.phase = 3;
  await client.decide(project.world, approval, { decision: 'approve', scope: 'once' });
}

/** The run once nothing more happens to it; `undefined` if it never began. */
async function settled(ground: RunGround, { world }: Project): Promise<Run | undefined> {
  let run: Run | undefined;
  await expect
    .poll(
      async () => {
        run = (await ground.client().runs.list(world)).items[0];
        return run?.state;
      },
      { timeout: 60_000 },
    )
    .not.toBeOneOf(['running', 'ended', 'waiting']);
  return run;
}

/** What was signed and not applied can be signed again. */
async function applyAgain(ground: RunGround, project: Project, run: Run): Promise<Run | undefined> {
  check(project, run);
  expect(run.reason).toBeDefined();
  delete project.signed;
  await ground.client().runs.apply(project.world, run.id, {});
  return await settled(ground, project);
}

/** As signed if it says that it was applied, else as before, to the byte and the commit. */
function check(project: Project, run: Run | undefined): void {
  const before = { 'a.txt': 'before\n', 'b.txt': 'before\n', 'kept.txt': 'before\n' };
  const { path, signed, head } = project;
  git(path, 'fsck', '--full', '--strict');
  if (run?.state !== 'applied' || signed?.effect === undefined) {
    expect(run?.state).not.toBe('applied');
    expect({ files: filesOf(path), head: git(path, 'rev-parse', 'main') }).toEqual({ files: before, head });
    return;
  }
  const moved = signed.effect.run?.refs?.find(({ name }) => name === 'refs/heads/main');
  expect(git(path, 'rev-parse', 'main')).toBe(moved?.to ?? head);
  const after: Record<string, string> = { ...before };
  for (const file of signed.effect.files) {
    if (file.change === 'removed') delete after[file.path];
    else if (file.kind === 'file') after[file.path] = contentAfter(file.path);
  }
  const files = filesOf(path);
  // The only file that a kill can leave unfinished.
  if ('.part' in after) after['.part'] = files['.part'] ?? '';
  expect(files).toEqual(after);
}

function contentAfter(path: string): string {
  return path === 'a.txt' ? 'changed\n' : `${/\d/.exec(path)?.[0] ?? ''}\n`;
}

function filesOf(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.startsWith(`${path}/.git/`))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(path.length + 1), readFileSync(file, 'utf8')]),
  );
}

function killOneBelow(pid: number): void {
  const all = descendants(pid);
  const chosen = all[Math.floor(Math.random() * all.length)];
  try {
    if (chosen !== undefined) process.kill(chosen, 'SIGKILL');
  } catch {
    // It has ended in between.
  }
}

function descendants(pid: number): readonly number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendants)];
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Whether a process has its root or a mount below the folder. */
function isIn(pid: string, path: string): boolean {
  const mounts = `/proc/${pid}/mountinfo`;
  try {
    return /^\d+$/.test(pid) && existsSync(mounts) && readFileSync(mounts, 'utf8').includes(`${path}/`);
  } catch {
    return false;
  }
}

async function forget(
  ground: RunGround,
  world: string,
  path: string,
  runs: readonly (Run | undefined)[],
): Promise<void> {
  for (const run of runs)
    if (run?.world === world && ['denied', 'failed', 'conflict'].includes(run.state))
      await ground.client().runs.discard(world, run.id);
  rmSync(path, { recursive: true });
}

function git(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
