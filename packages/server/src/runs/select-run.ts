import { recordRun, withdrawExternal } from '@countersign/core';
import type { Hold } from '@countersign/core/ports';
import { CountersignError, type SelectRun, type Signer } from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { endRun, isOpen, oneAtATime, sealAndPropose } from './end-run.js';
import { draftsOf } from './runs.js';
import { refuseTooManyDrafts } from './start-run.js';
import { writeReceipts } from './write-receipts.js';

type Context = Pick<AppContext, 'engine' | 'runs'>;

/** Makes a run of its own of a part of a run's change, asks about it, and returns its id. Throws if that part can't be applied alone. */
export async function selectRun(context: Context, id: string, wanted: SelectRun, by: Signer): Promise<string> {
  const { kept } = draftsOf(context);
  const { runtime } = context.engine;
  await refuseTooManyDrafts(context, by);
  const part = `run_${crypto.randomUUID()}`;
  const { record } = await oneAtATime(id, () =>
    kept.select(id, wanted, { id: part, startedAt: runtime.clock.now(), by: by.who }),
  );
  await recordRun(runtime, { ...record, kind: 'run-selected' }, by);
  await endRun(context, part);
  const { state, reason } = (await kept.read(part))?.status ?? {};
  if (state === 'waiting' || state === 'applied') return part;
  await kept.discard(part, { keepsRecord: false });
  throw new CountersignError('conflict', reason ?? 'The folder already has all that you selected.');
}

/** Asks about the rest of a run after this part of it was applied. Does nothing if that was done, or if nobody waits for a decision about it. */
export async function askAboutRest(context: Context, id: string): Promise<void> {
  const { kept } = draftsOf(context);
  const part = await kept.read(id);
  const of = part?.record.part?.of;
  if (of === undefined || part?.status?.state !== 'applied') return;
  const { at } = part.status;
  await oneAtATime(of, async () => {
    const run = await kept.read(of);
    const { callId, state, at: askedAt = 0 } = run?.status ?? {};
    if (run?.ended === undefined || state !== 'waiting' || callId === undefined || askedAt >= at) return;
    if (!(await isOpen(context, callId))) return;
    await withdrawExternal(context.engine.runtime, run.record.worldId, callId, 'A part of it was applied.');
    await sealAndPropose(context, run, run.ended, { notes: [`A part of it was applied before, as ${id}.`] });
  });
}

/** For the tool `run`: called when a run was applied, while its folder is locked. */
export async function finishApplied(
  { report, ...context }: Context & { readonly report: (error: unknown) => void },
  id: string,
  hold?: Hold,
): Promise<void> {
  await writeReceipts(context, id, hold);
  // Not awaited: it needs the folder. If the server dies first, the sweep does it.
  void askAboutRest(context, id).catch((error: unknown) => {
    if (!context.engine.closing.aborted) report(error);
  });
}
