import { CountersignError, type ExternalResult, type Signer } from '@countersign/protocol';
import { frameSettlement } from '../calls/settle-call.js';
import type { Settlement } from '../facts/fact.js';
import type { InvocationRecord } from '../ports/index.js';
import type { Runtime } from '../step/runtime.js';
import { chatOfSession } from './session.js';
import { openCallsOutside, settleOutside } from './settle-outside.js';

/** Settles a call with the result that its program reports. Reporting the same result again changes nothing; another one is refused. */
export async function reportExternal(runtime: Runtime, call: InvocationRecord, result: ExternalResult): Promise<void> {
  const settlement: Settlement =
    result.error === undefined
      ? { kind: 'succeeded', result: result.content ?? '' }
      : { kind: 'failed', error: result.error };
  if (await settleOutside(runtime, call, settlement)) return;
  const now = await runtime.store.read((reader) => reader.invocation(call.id));
  if (now !== undefined && now.startedAt !== null && now.result === frameSettlement(runtime, now, settlement)) return;
  const isOver = now !== undefined && now.startedAt !== null;
  const detail = isOver ? 'this call has already ended with another result' : 'this call was not allowed to run';
  throw new CountersignError('conflict', detail);
}

/** Ends the calls of a session that were allowed and not reported. Calls that wait for a decision keep waiting: the session may be resumed. */
export async function endExternalSession(
  runtime: Runtime,
  worldId: string,
  { agentId, session }: { agentId: string; session: string },
  by: Signer,
): Promise<void> {
  const chatId = chatOfSession(runtime, { worldId, agentId, session }, by);
  for (const call of await openCallsOutside(runtime, chatId)) {
    if (call.status === 'started') await settleOutside(runtime, call, { kind: 'not-reported' });
  }
}
