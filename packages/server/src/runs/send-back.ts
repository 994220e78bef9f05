import { decideCall, recordRun } from '@countersign/core';
import {
  CountersignError,
  signerSchema,
  type AskRun,
  type RestartRun,
  type Signer,
  type StartedRun,
} from '@countersign/protocol';
import type { AppContext } from '../app/context.js';
import { isOpen, oneAtATime } from './end-run.js';
import { atRest, draftsOf } from './runs.js';
import { describeView, findView } from './start-run.js';

type Context = Pick<AppContext, 'engine' | 'runs'>;

/** Withdraws the call that waits for approval of a run, keeps its draft, and notes what a person wants changed. */
export async function sendBack(context: Context, id: string, { message, comments }: AskRun, by: Signer): Promise<void> {
  const { kept } = draftsOf(context);
  const { runtime } = context.engine;
  atRest.delete(id);
  await oneAtATime(id, async () => {
    const run = await kept.read(id);
    if (run?.ended === undefined) throw new CountersignError('conflict', 'The program is still running.');
    const { record, status } = run;
    if (record.part !== undefined)
      throw new CountersignError('conflict', `This is a part of ${record.part.of}. Ask for changes to that run.`);
    const { callId } = status ?? {};
    // First: a draft whose call could still be approved must not change.
    if (callId !== undefined && status?.state === 'waiting' && (await isOpen(context, callId))) {
      const reason = `Asked for changes: ${message}`.slice(0, 4000);
      const denial = { tool_call_id: callId, decision: 'deny', reason } as const;
      const outcome = await decideCall(runtime, record.worldId, undefined, denial, by);
      if (outcome.kind === 'refused') throw new CountersignError('conflict', outcome.detail);
    }
    await kept.sendBack(id, { by: by.who, at: new Date(runtime.clock.now()).toISOString(), message, comments });
    const words = [message, ...comments.map(({ path, line, text }) => `${path}:${line ?? ''} ${text}`)].join('\n');
    await recordRun(runtime, { ...record, kind: 'run-sent-back', words }, by);
  });
}

/** Opens the draft of a run that was sent back for a program that its own person runs in it. */
export async function restartRun(
  context: Context,
  id: string,
  { program, supervisor, allowHosts = [] }: RestartRun,
  by: Signer,
): Promise<StartedRun> {
  const { kept } = draftsOf(context);
  const { runtime } = context.engine;
  return await oneAtATime(id, async () => {
    const run = await kept.read(id);
    if (run === undefined) throw new CountersignError('not-found', 'there is no such run');
    const { record } = run;
    // The program has this person's login and key, and the words of others reach it.
    if (signerSchema.parse(record.by).who.id !== by.who.id)
      throw new CountersignError(
        'forbidden',
        'Only the person who started a run can run a program in its draft again.',
      );
    const view = await findView(context, record.worldId, { ...record, supervisor, allowHosts }, by);
    if (view.folder !== record.folder)
      throw new CountersignError(
        'conflict',
        `The world has another folder now, but the run worked in ${record.folder}.`,
      );
    const { hidden, trackedHidden } = view;
    const next = await kept.restart(id, { program, supervisor, hidden, trackedHidden });
    await recordRun(runtime, { ...record, kind: 'run-restarted', program }, by);
    return describeView(context, next, view, by);
  });
}
