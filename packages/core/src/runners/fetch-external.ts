import { CountersignError } from '@countersign/protocol';
import { commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { claimExternal, findExternal, type ClaimRequest, type Verdict } from './claim-external.js';

/** A call that its program may run now, in the folder that it was approved for. */
export type FetchedCall = Extract<Verdict, { state: 'allowed' }> & { cwd?: string };

/** Hands a call that has started to the process that runs it. Stored before it returns, so that only the first process gets it. */
export async function fetchExternal(runtime: Runtime, asked: ClaimRequest): Promise<FetchedCall> {
  const { worldId, id } = asked;
  const { call, stored } = await findExternal(runtime, asked);
  const { chatId } = call;
  const isFirst = await commit(runtime, 'external-fetch', worldId, { chats: [chatId] }, ({ tx }) => {
    const call = tx.invocation(id);
    if (call?.status !== 'started' || call.startedEpoch === null) return false;
    tx.write({ kind: 'call-fetched', chatId, callId: id });
    return true;
  });
  const claimed = isFirst ? await claimExternal(runtime, asked) : undefined;
  if (claimed?.state !== 'allowed')
    throw new CountersignError('conflict', 'this call is not running, or was fetched before');
  const { cwd } = stored;
  return { ...claimed, ...(cwd === undefined ? {} : { cwd }) };
}
