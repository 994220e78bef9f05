import { CountersignError } from '@countersign/protocol';
import { readExternalCall, type StoredExternalCall } from '../step/place.js';
import { startCall } from '../call/start.js';
import { maskSecrets } from '../masking/index.js';
import type { CallRecord } from '../ports/index.js';
import { isApprovalId } from '../turn/ids.js';
import { readState } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { callerHash, type ExternalCaller } from './session.js';

/** What an external program learns about its call. Only `allowed` is a yes, and its start is committed (CALL8). */
export type Verdict =
  | { state: 'pending'; approvalId: string | undefined }
  | { state: 'allowed'; arguments: Record<string, unknown>; edited: boolean }
  /** What a person answered, for the model. The call must not run. */
  | { state: 'answered'; reason: string }
  | { state: 'denied'; reason: string }
  | { state: 'ended' };

/** A call of an external agent, and who asks for it. */
export interface ClaimRequest {
  worldId: string;
  id: string;
  /** The only agent that the credential may ask for. */
  agentId: string | undefined;
  caller: Omit<ExternalCaller, 'by'>;
}

/** Finds a call of an external agent. The calls of other agents and worlds don't exist for it, and those of other callers are refused. */
export async function findExternal(
  runtime: Runtime,
  { worldId, id, agentId, caller }: ClaimRequest,
): Promise<{ call: CallRecord; stored: StoredExternalCall }> {
  const { call, message } = await runtime.store.read(async (reader) => {
    const call = await reader.invocation(id);
    return { call, message: call && (await reader.message(call.messageId)) };
  });
  const isOurs = call?.worldId === worldId && (agentId === undefined || call.agentId === agentId);
  const stored = message && readExternalCall(message);
  if (call === undefined || !isOurs || call.runBy !== 'program' || stored === undefined)
    throw new CountersignError('not-found', `there is no external call "${id}" in this world`);
  if (stored.caller !== callerHash(runtime, caller)) throw otherCaller();
  return { call, stored };
}

export function otherCaller(): CountersignError {
  return new CountersignError('conflict', 'this call was proposed with another credential or another claim');
}

/**
 * Starts an approved call, with all last checks, and tells the program the verdict. A program that claims again gets the same answer until the
 * call has ended.
 */
export async function claimExternal(runtime: Runtime, asked: ClaimRequest): Promise<Verdict> {
  for (let left = MAX_TRIES; left > 0; left -= 1) {
    const { call } = await findExternal(runtime, asked);
    switch (call.status) {
      case 'asked':
        return { state: 'pending', approvalId: approvalOf(call) };
      case 'approved':
        await start(runtime, call);
        break;
      case 'started':
        return { state: 'allowed', arguments: parsed(call), edited: call.editedBy !== null };
      case 'succeeded':
      case 'failed':
      case 'denied': {
        const answer = answerOf(call);
        if (answer !== undefined) return { state: 'answered', reason: answer };
        return call.startedAt === null ? { state: 'denied', reason: reasonOf(call) } : { state: 'ended' };
      }
    }
  }
  // Rules, tools or the call keep changing. The program asks again.
  return { state: 'pending', approvalId: undefined };
}

/** Each further try means that something changed in between, so the call is read and judged again. */
const MAX_TRIES = 5;

async function start(runtime: Runtime, { worldId, chatId, turnId, id }: CallRecord): Promise<void> {
  // Other processes may consider this one dead.
  if (!runtime.process.mayAct()) return;
  await runtime.process.resumeUnfinished({ chatId });
  const found = await readState(runtime, worldId, { chats: [chatId] }, ({ tx, snapshot }) => {
    const turn = tx.turn(turnId);
    const call = tx.invocation(id);
    return turn === undefined || call === undefined ? undefined : { turn, call, snapshot };
  });
  if (found?.call.status !== 'approved') return;
  const { signal } = new AbortController();
  const started = await startCall(runtime, found.turn, found.snapshot, found.call, signal);
  if (started !== undefined) await runtime.background.external.watch(started.record);
}

function approvalOf({ approvalId }: CallRecord): string | undefined {
  return approvalId !== null && isApprovalId(approvalId) ? approvalId : undefined;
}

/** The text was checked when the call was proposed or edited. */
function parsed({ arguments: text }: CallRecord): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

/** The answer to what the call asked. A program reports only text, so no other result has this form. */
function answerOf({ status, result }: CallRecord): string | undefined {
  if (status !== 'succeeded') return undefined;
  const { result: value }: { result?: unknown } = JSON.parse(result ?? '{}') as object;
  const isAnswer = typeof value === 'object' && value !== null && 'answer' in value;
  return isAnswer && typeof value.answer === 'string' ? value.answer : undefined;
}

/** Results are framed as `{ error, reason? }` (TURN14). Masked: a reason may quote a rule or the call. */
function reasonOf({ result }: CallRecord): string {
  const { error, reason }: { error?: unknown; reason?: unknown } = JSON.parse(result ?? '{}') as object;
  const texts = [error, reason].filter((text) => typeof text === 'string');
  return maskSecrets(texts.join(': ')) || 'denied';
}
