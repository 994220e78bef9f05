import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Approval, Run } from '@countersign/protocol';
import { expect } from 'vitest';
import type { RunGround } from './run-ground.js';

/** What a run does when it is killed, after a random delay. */
export const PHASES = ['starts', 'works', 'waits', 'was signed'] as const;

/** An ignored folder, then steps whose order shows how far it came, then a commit, then a change and a removal. A moved file is never half written. */
const PROGRAM = [
  'mkdir out; echo x > out/x',
  'for i in 1 2 3 4 5 6 7 8 9; do echo "$i" > .part; mv .part "f$i"; mkdir -p "d$i"; echo "$i" > "d$i/x"; done',
  'git add -A; git commit -qm work',
  'echo changed > a.txt; rm b.txt; exit 3',
].join('\n');
/** It is in each project. */
export const COMMAND = 'sh work.sh';

export const VICTIMS = ['program', 'supervisor', 'server'] as const;
type Victim = (typeof VICTIMS)[number];

interface Kills {
  readonly victim: Victim;
  /** The number of the first, so that each has a project of its own. */
  readonly from: number;
  readonly count: number;
  /** The phase of each. */
  readonly phaseOf: (kill: number) => number;
  readonly delayMs: number;
  /** What runs, after `countersign run`. It runs `COMMAND`. */
  readonly words: readonly string[];
}

/**
 * Starts runs, kills a process of each, and signs what waits. Each must leave its folder as before or as signed. Returns the states in which they
 * ended.
 */
export async function killSome(
  ground: RunGround,
  { victim, from, count, phaseOf, delayMs, words }: Kills,
): Promise<readonly string[]> {
  const lab = Array.from({ length: count }, (_, at) => openProject(ground, `project-${victim}-${from + at}`));
  const projects = await Promise.all(lab);
  const started = projects.map(({ path }) => ground.start(path, 'run', '--json', ...words));
  for (const { process: command } of started) command.stdin.end();
  const stop = new AbortController();
  const deciding = decideAll(ground, projects, stop.signal);
  const moment = async (at: number): Promise<void> => {
    const phase = phaseOf(from + at);
    const isThere = (): boolean => (projects[at]?.phase ?? 0) >= phase || started[at]?.process.exitCode !== null;
    await expect.poll(isThere, { timeout: 300_000, interval: 5 }).toBe(true);
    await after(Math.random() * delayMs);
  };
  if (victim === 'server') {
    // Once for all: each of them is somewhere else.
    await moment((from / count) % count);
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
  writeFileSync(join(path, 'work.sh'), PROGRAM);
  writeFileSync(join(path, '.gitignore'), 'out\n');
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
      { timeout: 120_000 },
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
  const same = { 'a.txt': 'before\n', 'b.txt': 'before\n', 'kept.txt': 'before\n' };
  const before = { ...same, '.gitignore': 'out\n', 'work.sh': PROGRAM };
  const { path, signed, head } = project;
  git(path, 'fsck', '--full', '--strict');
  if (run?.state !== 'applied' || signed?.effect === undefined) {
    expect(run?.state).not.toBe('applied');
    expect({ files: filesOf(path), head: git(path, 'rev-parse', 'main') }).toEqual({ files: before, head });
    return;
  }
  expect(signed.effect.run?.notApplied).toEqual([{ path: 'out', files: 1 }]);
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
