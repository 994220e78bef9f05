import { readWho, type RefusalCode, type Signer, type ToolResultOutcome } from '@countersign/protocol';
import type { ApprovalRecord, CallRecord, StepNeeds, StoreReader, TurnRecord } from '../ports/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { keyedHash } from '../evidence/hash-call.js';
import { canonicalJson } from '../policy/index.js';
import { toolTurnId } from '../turn/ids.js';
import { readState, retry, ignoreNotFound } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { auditOf } from '../facts/calls.js';

/** The target of a decision or an answer. */
export interface FoundCall {
  invocation: CallRecord;
  approval: ApprovalRecord | undefined;
  turn: TurnRecord;
  /** False if the sender named the call instead of an approval. The decision must then not apply to an approval that the sender hasn't seen. */
  byApproval: boolean;
  /** The snapshot that the call was found in. Absent if the call was read from the store. */
  snapshot?: WorldSnapshot;
}

/** Finds a call by its id or the id of an approval. The step that uses the result verifies it with `reloadCall`. */
export async function findCall(runtime: Runtime, worldId: string, id: string): Promise<FoundCall | undefined> {
  const chatId = runtime.caches.callChats.get(id);
  const looking =
    chatId === undefined
      ? undefined
      : readState(runtime, worldId, { chats: [chatId], recent: true }, ({ tx, snapshot }) =>
          findInState(tx, snapshot, id),
        );
  const found = looking === undefined ? undefined : await ignoreNotFound(looking);
  return found ?? (await runtime.store.read((reader) => findStored(reader, id)));
}

/** Finds a call that waits for a decision. Undefined for settled calls, which exist only in the store. */
function findInState(tx: Step['tx'], snapshot: WorldSnapshot, id: string): FoundCall | undefined {
  const named = tx.approval(id);
  const invocation = tx.invocation(named?.invocationId ?? id);
  const turn = invocation === undefined ? undefined : tx.turn(invocation.turnId);
  const approval = named ?? tx.approval(invocation?.approvalId ?? '');
  if (invocation === undefined || turn === undefined || approval === undefined) return undefined;
  return { invocation, approval, turn, byApproval: named !== undefined, snapshot };
}

async function findStored(reader: StoreReader, id: string): Promise<FoundCall | undefined> {
  const named = await reader.approval(id);
  const invocation = await reader.invocation(named?.invocationId ?? id);
  if (invocation === undefined) return undefined;
  const current = invocation.approvalId === null ? undefined : await reader.approval(invocation.approvalId);
  const turn = await reader.turn(invocation.turnId);
  if (turn === undefined) return undefined;
  return { invocation, approval: named ?? current, turn, byApproval: named !== undefined };
}

/** Whether the sender is a client that registered as unable to ask a person, so it can't decide for one (CALL13). */
export function cannotAsk({ tx }: Step, { client }: Signer): boolean {
  return client !== undefined && tx.client(client)?.approvals === false;
}

/** " by Ada", for the error after a late decision. */
export function byText({ decidedBy }: ApprovalRecord): string {
  return decidedBy === null ? '' : ` by ${readWho(decidedBy).name}`;
}

/** The data that a step must load to decide a call. */
export function needsOf(found: FoundCall | undefined, { client }: Signer): Pick<StepNeeds, 'chats' | 'clients'> {
  return { chats: found === undefined ? [] : [found.invocation.chatId], clients: client === undefined ? [] : [client] };
}

/**
 * Reloads the target in a step. A call that is missing from its chat's state has been settled; if it was open before, the caller has to read it
 * again.
 */
export function reloadCall({ tx }: Step, found: FoundCall): FoundCall {
  const invocation = tx.invocation(found.invocation.id);
  const turn = tx.turn(found.turn.id);
  const approvalId = found.byApproval ? found.approval?.id : (invocation ?? found.invocation).approvalId;
  if ((approvalId ?? undefined) !== found.approval?.id) retry();
  const approval = found.approval === undefined ? undefined : tx.approval(found.approval.id);
  if (invocation === undefined && found.invocation.settledAt === null) retry();
  if (turn === undefined && found.turn.state !== 'ended') retry();
  if (approval === undefined && found.approval?.status === 'pending') retry();
  return {
    invocation: invocation ?? found.invocation,
    turn: turn ?? found.turn,
    approval: approval ?? found.approval,
    byApproval: found.byApproval,
  };
}

/** Refuses calls that belong to another agent, chat, world or turn before anything else is read (CALL6). */
export function refuseForeign(
  { invocation, turn }: FoundCall,
  sent: { worldId: string; agentId: string | undefined; chatId?: string; turnId?: string },
): Refused | undefined {
  if (
    invocation.worldId !== sent.worldId ||
    (sent.agentId !== undefined && sent.agentId !== invocation.agentId) ||
    (sent.chatId !== undefined && sent.chatId !== invocation.chatId)
  ) {
    return refused('foreign', 'this call belongs to another agent, chat or world');
  }
  if (sent.turnId !== undefined && sent.turnId !== toolTurnId(turn.id, invocation.iteration)) {
    return refused('changed', 'this call belongs to another turn', invocation.status);
  }
  return undefined;
}

type Refused = Extract<ToolResultOutcome, { kind: 'refused' }>;

const STATUS: Record<RefusalCode, Refused['status']> = {
  unknown: 404,
  foreign: 403,
  settled: 409,
  expired: 409,
  changed: 409,
  'not-allowed': 403,
  invalid: 422,
};

export function refused(code: RefusalCode, detail: string, state?: string): Refused {
  return { kind: 'refused', status: STATUS[code], code, detail, ...(state === undefined ? {} : { state }) };
}

export function recordRefusal(
  step: Step,
  worldId: string,
  found: FoundCall | undefined,
  outcome: Refused,
  signer: Signer,
): void {
  // If the call belongs to another world, record only the attempt.
  const about = found !== undefined && found.invocation.worldId === worldId ? auditOf(found.invocation) : {};
  step.tx.write({ kind: 'decision-refused', about, by: signer, why: outcome.detail });
}

/** Distinguishes a repeat from a different decision. Keyed, so that a short secret can't be guessed from the digest. */
export function digestOf(runtime: Runtime, sent: Record<string, unknown>): string {
  return keyedHash(runtime.store.hashKey, canonicalJson(sent));
}
