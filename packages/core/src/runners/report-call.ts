import { CountersignError, type ExternalResult, type Signer } from '@countersign/protocol';
import { frameSettlement } from '../call/settle.js';
import type { CallRecord } from '../ports/index.js';
import type { Runtime } from '../step/runtime.js';
import { findExternal, type ClaimRequest } from './claim-external.js';
import { endCall, openCalls } from './end-call.js';
import { chatOfSession } from './session.js';

type Reported =
  | { kind: 'recorded'; state: 'succeeded' | 'failed' }
  /** The call wasn't running. `isRepeat`: it had ended with the same result. */
  | { kind: 'refused'; call: CallRecord | undefined; isRepeat: boolean };

/** Ends a call with the result that its client or program reports. */
export async function reportCall(
  runtime: Runtime,
  call: CallRecord,
  { content = '', error }: Pick<ExternalResult, 'content' | 'error'>,
): Promise<Reported> {
  const settlement =
    error === undefined ? ({ kind: 'succeeded', result: content } as const) : ({ kind: 'failed', error } as const);
  if (await endCall(runtime, call, settlement)) return { kind: 'recorded', state: settlement.kind };
  const now = await runtime.store.read((reader) => reader.invocation(call.id));
  const isRepeat =
    now !== undefined && now.startedAt !== null && now.result === frameSettlement(runtime, now, settlement);
  return { kind: 'refused', call: now, isRepeat };
}

/** Records the result of a program. Reporting the same result again changes nothing; another one is refused. */
export async function reportExternal(
  runtime: Runtime,
  request: ClaimRequest,
  result: Pick<ExternalResult, 'content' | 'error'>,
): Promise<void> {
  const { call } = await findExternal(runtime, request);
  const reported = await reportCall(runtime, call, result);
  if (reported.kind === 'recorded' || reported.isRepeat) return;
  const isOver = reported.call !== undefined && reported.call.startedAt !== null;
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
  for (const call of await openCalls(runtime, 'program', chatId)) {
    if (call.status === 'started') await endCall(runtime, call, { kind: 'not-reported' });
  }
}
