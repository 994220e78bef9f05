import { isDeepStrictEqual } from 'node:util';
import { readWho, SYSTEM, type AuditEntry, type Who } from '@countersign/protocol';
import { maskSecrets } from '../masking/index.js';
import { gateCall, gateNeeds } from '../call/gate.js';
import { resumeTurn } from '../step/move-turn.js';
import { commit } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { coveringOf, findCovered, mayBeReleased, type Covering, type WaitingCall } from './waiting-calls.js';

/** If the world keeps changing, give up after this many rounds; the calls stay in the queue. */
const MAX_ROUNDS = 3;

/**
 * Releases the waiting calls that a new grant or rule covers (CALL5). Each passes the gate again in its own step, and once more when it starts.
 * Never rejects: the decision is already stored, and remaining calls keep waiting or are released later (`releaseCovered`).
 */
export async function releaseWaiting(runtime: Runtime, worldId: string, chatId?: string): Promise<void> {
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      let isStale = false;
      for (const waiting of await findCovered(runtime, worldId, chatId === undefined ? {} : { chatId })) {
        const by = await findAuthor(runtime, worldId, waiting.covering);
        const needs = { chats: [waiting.approval.chatId], ...gateNeeds([waiting.prepared]) };
        const outcome = await commit(runtime, 'release', worldId, needs, (step) => release(runtime, step, waiting, by));
        isStale ||= outcome === 'stale';
      }
      if (!isStale) return;
    }
  } catch (error) {
    runtime.report(error, 'failed to release waiting calls that a grant or rule covers', { worldId });
  }
}

/** Runs at startup, and periodically if other processes share the store: one may have crashed between a decision and its releases. */
export async function releaseCovered(runtime: Runtime): Promise<void> {
  const worlds = await runtime.store.read(async (reader) =>
    (await reader.countPendingApprovals()) === 0 ? [] : await reader.worlds(),
  );
  for (const { id } of worlds) await releaseWaiting(runtime, id);
}

function release(runtime: Runtime, step: Step, waiting: WaitingCall, by: Author): 'released' | 'left' | 'stale' {
  const { prepared } = waiting;
  const approval = step.tx.approval(waiting.approval.id);
  const invocation = step.tx.invocation(waiting.invocation.id);
  if (approval === undefined || !mayBeReleased(approval)) return 'left';
  if (invocation?.status !== 'asked' || invocation.approvalId !== approval.id) return 'left';
  // An approval is expired after its deadline, even if its timer hasn't fired (CALL11).
  if (approval.expiresAt !== null && approval.expiresAt <= step.tx.now()) return 'left';
  if (step.snapshot.world.rev !== waiting.rev || invocation.arguments !== waiting.invocation.arguments) {
    return 'stale';
  }
  if (runtime.tools(invocation.worldId).get(invocation.toolName) !== prepared.call.tool) return 'stale';
  const turn = step.tx.turn(invocation.turnId);
  if (turn === undefined) return 'left';
  const covering = coveringOf(gateCall(step.tx, step.snapshot, prepared));
  if (covering === undefined) return 'left';
  // A different grant or rule covers the call now, possibly by another author.
  if (!isDeepStrictEqual(covering, waiting.covering)) return 'stale';

  const rule = covering.kind === 'rule' ? covering.rule : undefined;
  const { chatId, id: callId } = invocation;
  step.tx.write({
    kind: 'approval-decided',
    chatId,
    callId,
    approvalId: approval.id,
    how: 'release',
    by: by.who,
    via: by.via,
    scope: rule === undefined ? 'session' : 'always',
    rule,
    approved: { callHash: null },
  });
  if (resumeTurn(runtime, step, turn.id)) runtime.dispatch.wake(step, turn.id);
  return 'released';
}

/** The person who decided, and from where if known. */
interface Author {
  who: Who;
  via?: string;
}

const PAGE = 500;
/** The author of an administrator's rule, which nobody in this world wrote. */
const NOBODY: Author = { who: SYSTEM };

/** Finds the author of the grant or rule that covers a call. The author is recorded as the person who decided it (LOG1). */
async function findAuthor(runtime: Runtime, worldId: string, covering: Covering): Promise<Author> {
  if (covering.kind === 'rule') return await findRuleAuthor(runtime, worldId, covering.rule);
  const grant = await runtime.store.read((reader) => reader.grant(covering.grantId));
  return grant === undefined ? NOBODY : { who: readWho(grant.grantedBy) };
}

/** Reads the audit log backwards, page by page: a rule that releases a call was usually written just before. */
async function findRuleAuthor(runtime: Runtime, worldId: string, rule: string): Promise<Author> {
  const recorded = maskSecrets(rule);
  let before: number | undefined;
  for (;;) {
    const page = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const records = await runtime.store.read((reader) => reader.lastAudit(worldId, page));
    const last = records.find((record) => isAboutWorldRule(record, recorded));
    if (last !== undefined) return last.decision === 'added' ? authorOf(last) : NOBODY;
    before = records.at(-1)?.seq;
    if (records.length < PAGE || before === undefined) return NOBODY;
  }
}

/** Excludes an agent's own rules, which release nothing. A rule added by an approval names the call as well as the agent. */
function isAboutWorldRule({ kind, rule, agentId, invocationId }: AuditEntry, wanted: string): boolean {
  return kind === 'policy' && rule === wanted && (agentId === undefined || invocationId !== undefined);
}

function authorOf({ who, via }: AuditEntry): Author {
  return { who: who ?? SYSTEM, ...(via === undefined ? {} : { via }) };
}
