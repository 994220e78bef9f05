import type { Effect } from '@countersign/protocol';
import { untilAborted } from '../ports/until-aborted.js';
import type { Runtime } from '../step/runtime.js';
import { limitTime, REHEARSAL_LIMIT_MS } from './limit-time.js';
import { showWhole } from './show-effect.js';

/** `gone`: the call was decided, or another machine keeps its rehearsal. `none`: it was not rehearsed. */
export type WholeEffect = { kind: 'shown'; effect: Effect } | { kind: 'none' | 'gone' };

/** The effect of a waiting call, masked like on its card, but with much higher limits (CHANGE6.10). Undefined if there is no such approval. */
export async function showWholeEffect(
  runtime: Runtime,
  worldId: string,
  approvalId: string,
): Promise<WholeEffect | undefined> {
  const found = await runtime.store.read(async (reader) => {
    const approval = await reader.approval(approvalId);
    const invocation = approval === undefined ? undefined : await reader.invocation(approval.invocationId);
    return approval === undefined || invocation === undefined ? undefined : { approval, invocation };
  });
  if (found === undefined || found.approval.worldId !== worldId) return undefined;
  const { approval, invocation } = found;
  if (approval.rehearsal === null || !('effect' in approval.rehearsal)) return { kind: 'none' };
  const { effect } = approval.rehearsal;
  // Without a rehearsal, the arguments are all of it.
  if (!effect.truncated || approval.applies !== 'draft') return { kind: 'shown', effect };
  const tool = approval.status === 'pending' ? runtime.tools(worldId).get(invocation.toolName) : undefined;
  const limited = limitTime(runtime, new AbortController().signal, REHEARSAL_LIMIT_MS);
  try {
    const show = async (): Promise<Effect | undefined> =>
      await tool?.claims?.rehearsals?.show?.(invocation.id, effect.effectHash, limited.signal);
    const whole = await untilAborted(show, limited.signal);
    if (whole?.effectHash !== effect.effectHash) return { kind: 'gone' };
    return { kind: 'shown', effect: await showWhole(whole, runtime.ownSecrets()) };
  } finally {
    limited.end();
  }
}
