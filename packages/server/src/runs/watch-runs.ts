import type { EndedRun } from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { endRun } from './end-run.js';
import { askAboutRest } from './select-run.js';
import { writeReceipts } from './write-receipts.js';
import { atRest, draftsOf, findDrafts, KEPT_MS } from './runs.js';
import { showRun, keptSince } from './show-run.js';

type Context = Pick<AppContext, 'engine' | 'runs' | 'log'>;

/** Finishes what an earlier process left behind: rolls back what it was applying. Must be called once, before any call starts. */
export async function recoverRuns(context: Pick<AppContext, 'runs' | 'log'>): Promise<void> {
  const kept = findDrafts(context)?.kept;
  for (const id of (await kept?.list()) ?? []) {
    await kept?.recover(id).catch((error: unknown) => context.log.error('failed to recover a run', { id, error }));
  }
}

/** Notices runs whose supervisor died, seals those that have ended, and removes those that were kept long enough. */
export async function sweepRuns(context: Context): Promise<void> {
  for (const id of (await findDrafts(context)?.kept.list()) ?? []) {
    if (context.engine.closing.aborted) return;
    await sweep(context, id).catch((error: unknown) => context.log.error('failed to look after a run', { id, error }));
  }
}

const SWEEP_MS = 60_000;

/** Looks after runs now, and once a minute until the engine closes. Never rejects. */
export async function watchRuns(context: Context): Promise<void> {
  const { closing, runtime } = context.engine;
  if (closing.aborted) return;
  await sweepRuns(context).catch((error: unknown) => context.log.error('failed to look after runs', { error }));
  runtime.clock.after(SWEEP_MS, () => void watchRuns(context), { background: true });
}

async function sweep(context: Context, id: string): Promise<void> {
  const drafts = draftsOf(context);
  const { kept } = drafts;
  const { store, clock } = context.engine.runtime;
  if ((atRest.get(id) ?? 0) > clock.now()) return;
  atRest.delete(id);
  const run = await kept.read(id);
  if (run === undefined) return;
  if (run.ended === undefined) {
    if ((await drafts.isSupervised(run)) || (await drafts.isInUse(run))) return;
    // It may have written its last word in between.
    await kept.noteEnd(id, SUPERVISOR_DIED);
  }
  const { worldId } = run.record;
  if ((await store.read((reader) => reader.world(worldId))) === undefined) {
    // Nobody can sign it any more.
    await kept.discard(id, { keepsRecord: false });
    return;
  }
  await endRun(context, id);
  // A kill or a write by somebody else may have prevented it.
  await writeReceipts(context, id);
  await askAboutRest(context, id);
  const now = await kept.read(id);
  if (now === undefined) return;
  const since = await store.read(async (reader) => {
    const call = now.status?.callId === undefined ? undefined : await reader.invocation(now.status.callId);
    return keptSince((await showRun(reader, now)).state, now.status, call);
  });
  if (since === undefined) return;
  if (since + KEPT_MS <= clock.now()) await kept.discard(id, { keepsRecord: false });
  else if (RESTS.some((state) => state === now.status?.state)) atRest.set(id, since + KEPT_MS);
}

const RESTS = ['applied', 'unchanged', 'discarded'] as const;

/** How a run ended whose supervisor couldn't say it. */
export const SUPERVISOR_DIED: EndedRun = {
  exitCode: -1,
  why: 'supervisor',
  hosts: [],
  variables: [],
  ports: [],
  notes: ['The supervisor ended unexpectedly, so the hosts and variables of this run are unknown.'],
};
