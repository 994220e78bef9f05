import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { addAgent, readRunSetting, recordRun, showAgents } from '@countersign/core';
import { errorMessage } from '@countersign/core/ports';
import {
  CountersignError,
  EXTERNAL_PROVIDER,
  freeName,
  RUN_TOOL,
  signerSchema,
  type Agent,
  type RunAgent,
  type RunProcess,
  type Signer,
  type StartedRun,
  type startRunSchema,
} from '@countersign/protocol';
import type { KeptRun } from '@countersign/tools';
import type { z } from 'zod';
import type { AppContext } from '../app/context.js';
import { draftsOf, readRuns, type Runs } from './runs.js';

/** Of one person, who would otherwise keep others from running anything. Drafts take disk space until they are applied or discarded. */
const MOST_DRAFTS = 200;

/** Makes the folder and the record of a run, and says what its program may see and reach. The supervisor then starts the program. */
export async function startRun(
  context: Pick<AppContext, 'engine' | 'runs'>,
  worldId: string,
  asked: z.output<typeof startRunSchema>,
  by: Signer,
): Promise<StartedRun> {
  const drafts = draftsOf(context);
  const { runtime } = context.engine;
  const view = await findView(context, worldId, asked, by);
  const { agent, folder, hidden, trackedHidden, hosts } = view;
  await refuseTooManyDrafts(context, by);
  const { program, supervisor, branch } = asked;
  const run = await drafts.kept.start({
    id: `run_${crypto.randomUUID()}`,
    worldId,
    agentId: agent.id,
    by,
    folder,
    startedAt: runtime.clock.now(),
    program,
    ...(asked.agent === undefined ? {} : { agent: asked.agent }),
    hidden,
    trackedHidden,
    hosts,
    ...(branch === undefined ? {} : { branch }),
    supervisor,
  });
  await recordRun(runtime, { ...run.record, kind: 'run-started' }, by);
  return describeView(context, run, view, by);
}

/** Throws if this person has started or selected too many runs that still have a draft. */
export async function refuseTooManyDrafts(context: Pick<AppContext, 'runs'>, by: Signer): Promise<void> {
  const isOwn = ({ record }: KeptRun): boolean =>
    (record.part?.requesters.at(-1) ?? signerSchema.parse(record.by).who).id === by.who.id;
  const own = (await readRuns(draftsOf(context))).filter(isOwn);
  const states = own.map(({ status }) => status?.state ?? 'running');
  if (states.filter((state) => !['applied', 'unchanged', 'discarded'].includes(state)).length >= MOST_DRAFTS) {
    const detail = `You have ${MOST_DRAFTS} drafts of runs already. Apply or discard some of them: see \`countersign runs\`.`;
    throw new CountersignError('too-many', detail);
  }
}

/** What a program in a draft may see and reach now. */
interface RunView {
  readonly agent: Pick<Agent, 'id'>;
  readonly folder: string;
  readonly hidden: readonly string[];
  readonly trackedHidden: boolean;
  readonly hosts: readonly string[];
  readonly closedHosts: readonly string[];
}

/** Throws if the program may not run, or its changes could not be applied. */
export async function findView(
  { engine, runs }: Pick<AppContext, 'engine' | 'runs'>,
  worldId: string,
  asked: { agent?: RunAgent; supervisor: RunProcess; allowHosts: readonly string[] },
  by: Signer,
): Promise<RunView> {
  const drafts = draftsOf({ runs });
  // From elsewhere, nobody can run a program over the draft: it would only take up space.
  if (!(await drafts.isSupervised({ record: asked })))
    throw new CountersignError('conflict', 'The supervisor of a run must be a process on the machine of the server.');
  const agent = await agentOf({ engine }, worldId, asked.agent, by);
  const { place, protectedPaths, isReadOnly, closedHosts } = await readRunSetting(engine.runtime, worldId, agent.id);
  if (isReadOnly)
    throw new CountersignError(
      'conflict',
      'This world is read-only, so nothing could be applied. Change its mode first.',
    );
  const folder = place.workingDirectory;
  const { hidden, trackedHidden } = await drafts.findHidden(folder, protectedPaths).catch((cause: unknown) => {
    throw new CountersignError('conflict', errorMessage(cause), { cause });
  });
  const { hosts: ruled = [], privateHosts = [] } = place.grants ?? {};
  const hosts = [...new Set([...asked.allowHosts, ...ruled, ...privateHosts])];
  return { agent, folder, hidden, trackedHidden, hosts, closedHosts };
}

/** For the supervisor. */
export function describeView(
  { runs }: Pick<AppContext, 'runs'>,
  { root, record }: Pick<KeptRun, 'root' | 'record'>,
  { folder, hidden, hosts, closedHosts }: RunView,
  by: Signer,
): StartedRun {
  return {
    id: record.id,
    world: record.worldId,
    folder,
    root,
    hidden: [...hidden],
    hosts: [...hosts],
    closedHosts: [...closedHosts],
    home: homeOf(runs, [by.who.id, folder, record.agent ?? RUN_TOOL]),
    sandbox: draftsOf({ runs }).sandbox,
  };
}

/** One per person, project and agent. */
function homeOf(runs: Runs | undefined, whose: readonly string[]): string {
  const name = createHash('sha256').update(JSON.stringify(whose)).digest('hex').slice(0, 32);
  return join(runs?.homes ?? '/nonexistent', name);
}

/**
 * The agent in whose name the changes are proposed: one for each known agent, and one for other programs. Only the server proposes its calls, so creating
 * it gives nobody more rights. People may give it rules.
 */
async function agentOf(
  { engine: { runtime } }: Pick<AppContext, 'engine'>,
  worldId: string,
  agent: RunAgent | undefined,
  by: Signer,
): Promise<Pick<Agent, 'id'>> {
  const model = agent === undefined ? RUN_TOOL : `${RUN_TOOL}-${agent}`;
  const agents = await showAgents(runtime, worldId);
  const found = agents.find((one) => one.provider === EXTERNAL_PROVIDER && one.model === model);
  if (found?.active === false) {
    const detail = `The agent "${found.name}" of this world is not active. Activate it, or use another world.`;
    throw new CountersignError('conflict', detail);
  }
  if (found !== undefined) return found;
  const name = freeName(
    model,
    agents.map((one) => one.name),
    { separator: '-' },
  );
  return await addAgent(runtime, worldId, { name, provider: EXTERNAL_PROVIDER, model, tools: [RUN_TOOL] }, by);
}
