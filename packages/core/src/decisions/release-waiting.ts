import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '@countersign/protocol';
import { maskSecrets } from '../masking/index.js';
import { gateCall, gateNeeds } from '../calls/gate-call.js';
import { resumeTurn } from '../step/move-turn.js';
import { commit } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { coveringOf, findCovered, mayBeReleased, type Covering, type WaitingCall } from './waiting-calls.js';

/** If the world keeps changing, give up after this many rounds; the calls stay in the queue. */
const MOST_ROUNDS = 3;

/**
 * Releases the waiting calls that a new grant or rule covers (A5). Each goes through the gate again in a step of its own, which closes its
 * approval; then it is a call like any other that the gate allows, and is checked once more when it starts.
 * Never rejects: the decision that caused it stands, and the rest keeps waiting or is released later (`releaseLeftOver`).
 */
export async function releaseWaiting(runtime: Runtime, worldId: string, chatId?: string): Promise<void> {
  try {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      let isOld = false;
      for (const waiting of await findCovered(runtime, worldId, chatId === undefined ? {} : { chatId })) {
        const by = await findAuthor(runtime, worldId, waiting.covering);
        const needs = {
          chats: [waiting.approval.chatId],
          ...gateNeeds([waiting.judged]),
          ...(by.client === undefined ? {} : { clients: [by.client] }),
        };
        const outcome = await commit(runtime, 'release', worldId, needs, (step) => release(runtime, step, waiting, by));
        isOld ||= outcome === 'look again';
      }
      if (!isOld) return;
    }
  } catch (error) {
    runtime.report(error, 'waiting calls that a grant or rule covers could not be released', { worldId });
  }
}

/** After a start, and now and then beside other processes: one may have crashed between a decision and what it releases. */
export async function releaseLeftOver(runtime: Runtime): Promise<void> {
  const worlds = await runtime.store.read(async (reader) =>
    (await reader.countPendingApprovals()) === 0 ? [] : await reader.worlds(),
  );
  for (const { id } of worlds) await releaseWaiting(runtime, id);
}

function release(runtime: Runtime, step: Step, waiting: WaitingCall, by: Author): 'released' | 'left' | 'look again' {
  const { judged } = waiting;
  const approval = step.tx.approval(waiting.approval.id);
  const invocation = step.tx.invocation(waiting.invocation.id);
  if (approval === undefined || !mayBeReleased(approval)) return 'left';
  if (invocation?.status !== 'asked' || invocation.approvalId !== approval.id) return 'left';
  // Too late is too late, whether the timer has fired or not (A11).
  if (approval.expiresAt !== null && approval.expiresAt <= step.tx.now()) return 'left';
  if (step.snapshot.world.rev !== waiting.rev || invocation.arguments !== waiting.invocation.arguments) {
    return 'look again';
  }
  if (runtime.tools(invocation.worldId).get(invocation.toolName) !== judged.call.tool) return 'look again';
  const turn = step.tx.turn(invocation.turnId);
  if (turn === undefined) return 'left';
  const covering = coveringOf(gateCall(step.tx, step.snapshot, judged));
  if (covering === undefined) return 'left';
  // Covered by another one now, which somebody else may have written.
  if (!isDeepStrictEqual(covering, waiting.covering)) return 'look again';

  const rule = covering.kind === 'rule' ? covering.rule : undefined;
  const { chatId, id: callId, arguments: text } = invocation;
  step.tx.write({
    kind: 'approval-decided',
    chatId,
    callId,
    approvalId: approval.id,
    how: 'release',
    by: by.who,
    client: by.client,
    scope: rule === undefined ? 'session' : 'always',
    rule,
    approved: { arguments: text, callHash: null },
  });
  if (resumeTurn(runtime, step, turn.id)) runtime.dispatch.wake(step, turn.id);
  return 'released';
}

/** Who decided, and from which client if that is known. */
interface Author {
  who: string;
  client?: string;
}

const PAGE = 500;
/** For a rule that no person of this world wrote: an administrator's. */
const NOBODY: Author = { who: 'system' };

/** The person who gave the grant or wrote the rule that covers a call: they decided on it (A16). */
async function findAuthor(runtime: Runtime, worldId: string, covering: Covering): Promise<Author> {
  if (covering.kind === 'rule') return await findRuleAuthor(runtime, worldId, covering.rule);
  const grant = await runtime.store.read((reader) => reader.grant(covering.grantId));
  return grant === undefined ? NOBODY : { who: grant.grantedBy };
}

/** Read from the end of the audit log, page by page: a rule that releases a call has usually just been written. */
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

/** An agent's own rules release nothing. A rule written by approving a call names that call as well as its agent. */
function isAboutWorldRule({ kind, rule, agentId, invocationId }: AuditEntry, wanted: string): boolean {
  return kind === 'policy' && rule === wanted && (agentId === undefined || invocationId !== undefined);
}

function authorOf({ who, client }: { who?: string; client?: string }): Author {
  return { who: who ?? NOBODY.who, ...(client === undefined ? {} : { client }) };
}
