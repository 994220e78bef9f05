import type { ApprovalRecord, CallRecord } from '../ports/index.js';
import type { Gate, GateGrant } from '../policy/check-tool-approval.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { placeOfCall } from '../step/place.js';
import { gateCall, gateNeeds } from '../call/gate.js';
import { callOf, refreshTool } from '../call/parse.js';
import { toPrepared, type PreparedCall } from '../evidence/prepared-call.js';
import { inspectCall, withRehearsal } from '../evidence/inspect-call.js';
import { readState } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';

/** A call that waits for a decision, in its current state. */
export interface WaitingCall {
  approval: ApprovalRecord;
  invocation: CallRecord;
  prepared: PreparedCall;
  /** The world's `rev` when it was read. */
  rev: number;
  covering: Covering;
}

/** The grant or rule that would make the gate allow a call. */
export type Covering = { kind: 'grant'; grantId: string } | { kind: 'rule'; rule: string };

/** Which waiting calls to check, and hypothetical grants and rules to apply. */
interface CoverQuery {
  chatId?: string;
  /** Rules that someone is about to add, applied to the snapshot. */
  withRules?: (snapshot: WorldSnapshot) => WorldSnapshot;
  /** A grant that someone is about to give. */
  grant?: { agentId: string; toolName: string; pattern?: string; folder?: string };
}

/**
 * Whether a grant or rule may decide instead of a person. False for questions, and for calls that a person must see each time because of an ask rule,
 * an unknown outcome (STORE3) or a changed tool. Those offer only `once`.
 */
export function mayBeReleased({ status, question, rule, options }: ApprovalRecord): boolean {
  if (status !== 'pending' || question !== null || rule !== null) return false;
  return options.includes('approve_session') || options.includes('approve_always');
}

/** The grant or rule that allows a call. Only those made by a person release calls. */
export function coveringOf(gate: Gate): Covering | undefined {
  if (gate.kind !== 'run') return undefined;
  if (gate.because === 'grant' && gate.grantId !== undefined) return { kind: 'grant', grantId: gate.grantId };
  return gate.because === 'rule' && gate.rule !== undefined ? { kind: 'rule', rule: gate.rule } : undefined;
}

/** The waiting calls that the gate would allow now, oldest first. Skips calls that changed after they were shown (CALL7). */
export async function findCovered(runtime: Runtime, worldId: string, query: CoverQuery = {}): Promise<WaitingCall[]> {
  const { chatId, withRules = (snapshot) => snapshot, grant } = query;
  const found = await runtime.store.read(async (reader) => {
    const stored = await runtime.caches.snapshots.read(reader, worldId);
    if (stored === undefined) return undefined;
    const filter = { status: 'pending' as const, ...(chatId === undefined ? {} : { chatId }) };
    const approvals = (await reader.approvals(worldId, filter)).filter(mayBeReleased);
    const waiting: { approval: ApprovalRecord; invocation: CallRecord }[] = [];
    for (const approval of approvals) {
      const invocation = await reader.invocation(approval.invocationId);
      if (invocation?.status !== 'asked' || invocation.approvalId !== approval.id) continue;
      if (grant === undefined || (invocation.agentId === grant.agentId && invocation.toolName === grant.toolName)) {
        waiting.push({ approval, invocation });
      }
    }
    return { snapshot: withRules(stored), waiting };
  });
  if (found === undefined || found.waiting.length === 0) return [];
  const { snapshot, waiting } = found;
  const hypothetical: GateGrant | undefined =
    grant === undefined
      ? undefined
      : {
          id: 'hypothetical',
          ...(grant.pattern === undefined || grant.pattern === '*' ? {} : { pattern: grant.pattern }),
          ...(grant.folder === undefined ? {} : { folder: grant.folder }),
        };
  const judge = async (prepared: PreparedCall): Promise<Covering | undefined> =>
    await readState(runtime, worldId, { chats: [], ...gateNeeds([prepared]) }, ({ tx }) =>
      coveringOf(gateCall(tx, snapshot, prepared, { hypothetical })),
    );
  const covered: WaitingCall[] = [];
  for (const { approval, invocation } of waiting) {
    const place = await placeOfCall(runtime, snapshot, invocation);
    const setting = { ...invocation, place };
    // First judge without inspecting the target: most waiting calls aren't covered, so their files need not be read.
    if ((await judge(toPrepared(callOf(runtime, invocation), setting))) === undefined) continue;
    if ((await refreshTool(runtime, worldId, invocation.toolName)) !== undefined) continue;
    const inspected = await inspectCall(runtime, callOf(runtime, invocation), setting).catch(() => undefined);
    if (inspected === undefined) continue;
    // Not rehearsed again: a rule or grant runs the call, whatever the folder contains now.
    if (withRehearsal(runtime, inspected, approval).signed?.callHash !== approval.callHash) continue;
    const covering = await judge(inspected);
    if (covering !== undefined) {
      covered.push({ approval, invocation, prepared: inspected, rev: snapshot.world.rev, covering });
    }
  }
  return covered;
}
