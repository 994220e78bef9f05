import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hold } from '@countersign/core/ports';
import type { EndedRun, Run, StartedRun } from '@countersign/protocol';
import { findSandbox, runDrafts, runTool, type RunDrafts } from '@countersign/tools';
import { openCommitKey } from '../receipts/commit-key.js';
import type { Runs } from '../runs/runs.js';
import { finishApplied } from '../runs/select-run.js';
import { closeApps, openApp, until, type AppFixture, type AppFixtureOptions } from './app-fixture.js';

/** A server with a world `alpha` whose folder programs may change in drafts, and what a supervisor does. */
export interface RunFixture {
  readonly t: AppFixture;
  readonly folder: string;
  /** Has the keys of receipts. */
  readonly home: string;
  readonly drafts: RunDrafts;
  setRules(...rules: string[]): Promise<void>;
  /** Starts a run as a supervisor does. Its process is this one, unless told otherwise. */
  start(more?: Record<string, unknown>): Promise<StartedRun>;
  /** Puts what the program wrote into the draft, and notes how it ended. */
  write(run: StartedRun, files: Readonly<Record<string, string>>, ended?: Partial<EndedRun>): void;
  /** Tells the server that it has ended. */
  end(run: Pick<StartedRun, 'id'>): Promise<Run>;
  show(run: Pick<StartedRun, 'id'>): Promise<Run>;
  /** Waits for a state. */
  reach(run: Pick<StartedRun, 'id'>, state: Run['state']): Promise<Run>;
  decide(
    run: Run,
    decision: 'approve' | 'deny',
    more?: Record<string, unknown>,
  ): Promise<{ status: number; body: unknown }>;
  read(path: string): string | undefined;
}

/** A process as supervisors name themselves. */
export function supervisorAt(pid: number): { pid: number; started: string } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return { pid, started: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '' };
}

const made: string[] = [];
const opened: RunDrafts[] = [];
let sandbox: ReturnType<typeof findSandbox> | undefined;

/** Undefined on a system that can't mount overlays. Looking for a sandbox starts programs, so each worker does it once. */
async function openDrafts(): Promise<RunDrafts | undefined> {
  sandbox ??= findSandbox();
  const drafts = runDrafts(await sandbox, [join(homedir(), `test-${crypto.randomUUID()}`)]);
  return 'refused' in drafts ? undefined : drafts;
}

export async function canMountRuns(): Promise<boolean> {
  return (await openDrafts()) !== undefined;
}

/** Throws on a system that can't mount overlays. */
export async function openRuns(
  files: Readonly<Record<string, string>> = {},
  options: AppFixtureOptions & { rules?: readonly string[] } = {},
): Promise<RunFixture> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'run-')));
  made.push(folder);
  put(folder, files);
  const drafts = await openDrafts();
  if (drafts === undefined) throw new Error('this system can mount no overlay');
  opened.push(drafts);
  const { rules, ...rest } = options;
  const home = join(folder, '..', `home-${crypto.randomUUID()}`);
  mkdirSync(home, { mode: 0o700 });
  made.push(home);
  const runs: Runs = { drafts, homes: join(home, 'homes'), commitKey: openCommitKey(home) };
  let onApplied: (id: string, hold?: Hold) => Promise<void> = () => Promise.resolve();
  const tools = [runTool(drafts.kept, drafts.undos, (id, hold) => onApplied(id, hold)), ...(options.tools ?? [])];
  const t = await openApp({
    ...rest,
    folder,
    tools,
    context: { runs },
  });
  const report = (cause: unknown): never => {
    throw new Error('the rest of a run could not be asked about', { cause });
  };
  onApplied = (id, hold) => finishApplied({ engine: t.engine, runs, report }, id, hold);
  await t.api('POST', '/worlds', { name: 'alpha' });
  const setRules = async (...rules: string[]): Promise<void> => {
    const { headers } = await t.api('GET', '/worlds/alpha/policy');
    const put = await t.api('PUT', '/worlds/alpha/policy', { rules }, { 'If-Match': headers.get('etag') ?? '' });
    if (put.status !== 200) throw new Error(put.text);
  };
  if (rules !== undefined) await setRules(...rules);
  const path = ({ id }: Pick<StartedRun, 'id'>): string => `/worlds/alpha/runs/${id}`;
  const show: RunFixture['show'] = async (run) => (await t.api<Run>('GET', path(run))).body;
  return {
    t,
    setRules,
    folder,
    home,
    drafts,
    async start(more = {}) {
      const asked = { program: ['make', 'all'], supervisor: supervisorAt(process.pid), ...more };
      const { status, body, text } = await t.api<StartedRun>('POST', '/worlds/alpha/runs', asked);
      if (status !== 201) throw new Error(text);
      return body;
    },
    write({ root }, written, ended = {}) {
      put(join(root, 'upper'), written);
      writeFileSync(join(root, 'ended.json'), JSON.stringify({ exitCode: 0, why: 'exited', ...ended }));
    },
    async end(run) {
      const { status, body, text } = await t.api<Run>('POST', `${path(run)}/end`);
      if (status !== 200) throw new Error(text);
      return body;
    },
    show,
    async reach(run, state) {
      return await until(async () => {
        const now = await show(run);
        return now.state === state ? now : undefined;
      }, `the run is ${state}`);
    },
    async decide({ callId, approvalId }, decision, more = {}) {
      const { body } = await t.api<{ callHash: string }>('GET', `/worlds/alpha/approvals/${approvalId}`);
      const sent = { tool_call_id: callId, decision, callHash: body.callHash, ...more };
      return await t.api('POST', '/worlds/alpha/tool-results', sent);
    },
    read(name) {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** For `afterEach`. */
export async function closeRuns(): Promise<void> {
  await closeApps();
  for (const { kept } of opened.splice(0)) for (const id of await kept.list()) await remove(kept, id);
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, maxRetries: 10, force: true });
}

async function remove(kept: RunDrafts['kept'], id: string): Promise<void> {
  const run = await kept.read(id);
  if (run !== undefined) rmSync(run.root, { recursive: true, force: true });
}

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
