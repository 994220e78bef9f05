import type { RefusalCode, Signer, ToolResultOutcome } from '@countersign/protocol';
import type { ApprovalRecord, InvocationRecord, StepNeeds, StoreReader, TurnRecord } from '../ports/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { keyedHash } from '../approval/index.js';
import { canonicalJson } from '../policy/index.js';
import { toolTurnId } from '../turn/ids.js';
import { readState, retry, unlessGone } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { auditOf } from '../facts/context.js';

/** What a decision or an answer is about. */
export interface Found {
  invocation: InvocationRecord;
  approval: ApprovalRecord | undefined;
  turn: TurnRecord;
  /** False when the call was named: then it must not answer a question its sender has not seen. */
  byApproval: boolean;
  /** The world as of the look. Absent: it was read from the store. */
  snapshot?: WorldSnapshot;
}

/** Finds a call by its id or by the id of an approval. The step that uses it checks it with `asOfNow`. */
export async function find(runtime: Runtime, worldId: string, id: string): Promise<Found | undefined> {
  const chatId = runtime.callChats.get(id);
  const looking =
    chatId === undefined
      ? undefined
      : readState(runtime, worldId, { chats: [chatId], recent: true }, ({ tx, snapshot }) => findIn(tx, snapshot, id));
  const found = looking === undefined ? undefined : await unlessGone(looking);
  return found ?? (await runtime.store.read((reader) => findStored(reader, id)));
}

/** One that waits for a decision. Undefined for anything else: what has ended is in the store only. */
function findIn(tx: Step['tx'], snapshot: WorldSnapshot, id: string): Found | undefined {
  const named = tx.approval(id);
  const invocation = tx.invocation(named?.invocationId ?? id);
  const turn = invocation === undefined ? undefined : tx.turn(invocation.turnId);
  const approval = named ?? tx.approval(invocation?.approvalId ?? '');
  if (invocation === undefined || turn === undefined || approval === undefined) return undefined;
  return { invocation, approval, turn, byApproval: named !== undefined, snapshot };
}

async function findStored(reader: StoreReader, id: string): Promise<Found | undefined> {
  const named = await reader.approval(id);
  const invocation = await reader.invocation(named?.invocationId ?? id);
  if (invocation === undefined) return undefined;
  const current = invocation.approvalId === null ? undefined : await reader.approval(invocation.approvalId);
  const turn = await reader.turn(invocation.turnId);
  if (turn === undefined) return undefined;
  return { invocation, approval: named ?? current, turn, byApproval: named !== undefined };
}

/** What a step needs that decides about a call. */
export function needsOf(found: Found | undefined, { client }: Signer): Pick<StepNeeds, 'chats' | 'clients'> {
  return { chats: found === undefined ? [] : [found.invocation.chatId], clients: [client] };
}

/** The same in a step. What is not in the state of its chat has ended; if it was read as unfinished before the step, it is read again. */
export function asOfNow({ tx }: Step, found: Found): Found {
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

/** Of another agent, chat, world or turn: refused before anything of it is looked at (A6). */
export function refuseMisfit(
  { invocation, turn }: Found,
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
  invalid: 422,
};

export function refused(code: RefusalCode, detail: string, state?: string): Refused {
  return { kind: 'refused', status: STATUS[code], code, detail, ...(state === undefined ? {} : { state }) };
}

export function recordRefusal(
  step: Step,
  worldId: string,
  found: Found | undefined,
  outcome: Refused,
  signer: Signer,
): void {
  // Of a call in another world nothing is told here but that somebody tried.
  const about = found !== undefined && found.invocation.worldId === worldId ? auditOf(found.invocation) : {};
  step.tx.record({ kind: 'refusal', ...about, who: signer.who, client: signer.client, why: outcome.detail });
}

/** Tells a repeat from a change of mind. Keyed, or a short secret in what was sent could be guessed from it. */
export function digestOf(runtime: Runtime, sent: Record<string, unknown>): string {
  return keyedHash(runtime.store.hashKey, canonicalJson(sent));
}
