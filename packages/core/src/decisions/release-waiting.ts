import { isDeepStrictEqual } from 'node:util';
import { maskSecrets } from '../masking/index.js';
import { closeApproval } from '../calls/close-approval.js';
import { findAuthor, type Author } from './find-author.js';
import { gateCall, gateNeeds } from '../calls/gate-call.js';
import { resumeTurn } from '../step/resume-turn.js';
import { commit, mustHaveChanged, type Runtime, type Step } from '../step/runtime.js';
import { auditOf, emitToolEvent } from '../step/tool-events.js';
import { coveringOf, findCovered, mayBeReleased, type WaitingCall } from './waiting-calls.js';

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

  const rule = covering.kind === 'rule' ? maskSecrets(covering.rule) : undefined;
  const reason = rule === undefined ? 'covered by a grant for this chat' : `covered by the rule ${rule}`;
  const told = {
    scope: rule === undefined ? 'session' : 'always',
    ...(by.client === undefined ? {} : { client: by.client }),
  } as const;
  const fact = rule === undefined ? {} : { rule };
  const resumed = resumeTurn(runtime, step, turn.id, { invocationId: invocation.id, status: 'approved' });
  const verdict = { status: 'approved', reason, by: by.who, ...told, more: { released: true, ...fact } } as const;
  mustHaveChanged(closeApproval(step, approval, invocation, verdict));
  const audited = { ...auditOf(invocation), decision: 'release', who: by.who, why: reason, ...told, ...fact };
  step.tx.record({ kind: 'decision', ...audited });
  // Nobody signed this very call: without a signature its start depends on what the gate says then.
  const change = { status: 'approved', callHash: null } as const;
  mustHaveChanged(step.tx.changeInvocation(invocation.id, 'asked', change));
  emitToolEvent(step, invocation, { type: 'TOOL_APPROVED', reason });
  resumed.finish();
  return 'released';
}
