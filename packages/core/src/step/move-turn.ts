import type { Who } from '@countersign/protocol';
import type { StepTransaction } from '../facts/step-transaction.js';
import type { ApprovalRecord, MessageRecord, TurnOutcome, TurnRecord } from '../ports/index.js';
import { nextStep } from '../turn/next-step.js';
import { acpOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import { maskSecrets } from '../masking/index.js';
import { turnId } from '../turn/ids.js';
import { describeMissingTool, findMissingTool } from './find-missing-tool.js';
import { isSuspect, type Scheduler } from './scheduler.js';
import type { Dispatch, Handover, Runtime, Situation, StartedCall, Step } from './runtime.js';

/** Queues the turns of the agents that answer a message, in the message's own step (STORE1). `requester`: see `TurnRecord`. */
export function queueTurns(runtime: Runtime, step: Step, message: MessageRecord, requester: string | null): void {
  const { seq } = message;
  for (const agentId of message.addressees) {
    queueTurn(runtime, step, newTurn(message, agentId, { requester, review: null }), seq);
  }
}

/** Queues the turns of agents that review a call, in the step that requests its approval (SIGN3). */
export function queueReviews(
  runtime: Runtime,
  step: Step,
  { id, worldId, chatId, messageId, requestedAt }: ApprovalRecord,
  agentIds: readonly string[],
  requester: string | null,
): void {
  const seq = step.tx.chat(chatId)?.lastSeq ?? 0;
  const message = { id: messageId, worldId, chatId, seq, createdAt: requestedAt };
  for (const agentId of agentIds) {
    queueTurn(runtime, step, newTurn(message, agentId, { requester, review: id }), seq);
  }
}

function queueTurn(runtime: Runtime, step: Step, turn: TurnRecord, seq: number): void {
  const { chatId, agentId } = turn;
  step.tx.write({ kind: 'turn-queued', turn });
  // The turn queues behind an unfinished one and never replaces it (WORLD11).
  if (step.tx.currentTurn(chatId, agentId) === undefined) openNext(runtime, step, { chatId, agentId, begunSeq: seq });
}

export function newTurn(
  message: Pick<MessageRecord, 'id' | 'worldId' | 'chatId' | 'seq' | 'createdAt'>,
  agentId: string,
  { requester, review }: Pick<TurnRecord, 'requester' | 'review'>,
): TurnRecord {
  return {
    id: turnId(message.id, agentId),
    worldId: message.worldId,
    chatId: message.chatId,
    agentId,
    triggerId: message.id,
    triggerSeq: message.seq,
    requester,
    review,
    state: 'queued',
    outcome: null,
    iteration: 0,
    epoch: 1,
    owner: null,
    interruptions: 0,
    begunSeq: null,
    inputTokens: 0,
    outputTokens: 0,
    microdollars: null,
    createdAt: message.createdAt,
    endedAt: null,
  };
}

/**
 * Opens the oldest queued turn of an agent in a chat. Checks the turn limit (WORLD6): at the limit, the agent says so once; beyond it, the agent
 * stays silent. `begunSeq`: the last message that the turn sees, if not all.
 */
export function openNext(
  runtime: Runtime,
  { tx, ...step }: Step,
  { chatId, agentId, begunSeq }: { chatId: string; agentId: string; begunSeq?: number },
): void {
  const { turnLimit } = step.snapshot.world.settings;
  for (;;) {
    const next = tx.nextQueuedTurn(chatId, agentId);
    const lastSeq = tx.chat(chatId)?.lastSeq;
    if (next === undefined || lastSeq === undefined) return;
    const about = { chatId, turnId: next.id, begunSeq: begunSeq ?? lastSeq };
    const taken = tx.countStarted(chatId, agentId);
    // Someone else has decided the call in the meantime.
    if (next.review !== null && tx.approval(next.review) === undefined) {
      tx.write({ kind: 'turn-ended', ...about, outcome: 'silent' });
      continue;
    }
    // A review doesn't count as an answer: the caller's own limits bound how many there are.
    if (next.review !== null || taken < turnLimit) {
      tx.write({ kind: 'turn-opened', ...about, owner: runtime.dispatch.owner });
      runtime.dispatch.wake({ tx, ...step }, next.id);
      return;
    }
    if (taken > turnLimit) {
      tx.write({ kind: 'turn-ended', ...about, outcome: 'silent' });
      continue;
    }
    tx.write({ kind: 'turn-ended', ...about, outcome: 'handed-over' });
    const content = `@human I have taken ${turnLimit} turns since you last wrote, so I am stopping here. Send me a message to continue.`;
    const words = { role: 'assistant', sender: agentId, speaker: 'agent', content, replyTo: next.triggerId } as const;
    const message = tx.newMessage(chatId, { ...words, agentId, turnId: next.id, iteration: 0 });
    tx.write({ kind: 'message-sent', message });
  }
}

/** Ends a turn without an answer and writes the reason to the chat. Does nothing if the turn has changed since it was read. */
export function endWithError(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  outcome: Extract<TurnOutcome, 'failed' | 'exhausted' | 'interrupted'>,
  reason: string,
): void {
  const { tx } = step;
  const { chatId, agentId, id, triggerId } = turn;
  // Ending the turn would leave an unsettled call open.
  if (tx.current(turn)?.state !== 'open' || tx.openCalls(turn).length > 0) return;
  tx.write({ kind: 'turn-ended', chatId, turnId: id, outcome });
  writeNotice(step, { chatId, agentId, turnId: id, replyTo: triggerId }, 'error', maskSecrets(reason));
  openNext(runtime, step, { chatId, agentId });
}

/** Writes a notice for people, such as an error or a stop. */
export function writeNotice(
  { tx }: Step,
  about: {
    chatId: string;
    agentId: string | null;
    turnId: string | null;
    replyTo: string | null;
    clientMessageId?: string;
  },
  type: 'error' | 'notice',
  content: string,
): void {
  const { chatId, ...place } = about;
  const words = { role: 'system', sender: 'system', speaker: 'system', content, ...place } as const;
  tx.write({ kind: 'notice-written', type, message: tx.newMessage(chatId, words) });
}

/**
 * Must be called after a write that may unblock a turn, such as the end of a call. The turn becomes open if a process can continue it, and
 * waiting otherwise. Returns true if it is open and must be woken (STORE1).
 */
export function resumeTurn(runtime: Runtime, step: Step, turnId: string): boolean {
  const { tx, snapshot } = step;
  const turn = tx.turn(turnId);
  if (turn === undefined || turn.state === 'queued') throw new Error('only a started turn can be resumed');
  const { chatId } = turn;
  const situation = readSituation(tx, turn, snapshot);
  if (isWaiting(situation)) {
    if (turn.state === 'open') tx.write({ kind: 'turn-paused', chatId, turnId });
    return false;
  }
  // No process runs a waiting turn, even if its row still has an owner: keeping that owner would lose a decision after a restart (CALL9). A
  // suspect waits until it may run alone.
  const isOrphan = turn.state === 'open' && turn.owner === null && !isSuspect(turn);
  const missing = findMissingTool(runtime, situation);
  const here = missing === undefined ? runtime.dispatch.owner : null;
  const owner = isOrphan || turn.state === 'waiting' ? here : turn.owner;
  // The last owner may be frozen rather than dead: fence it, so that it can't settle the calls it started.
  const fenced = isOrphan && owner !== null;
  if (fenced || turn.state === 'waiting') tx.write({ kind: 'turn-resumed', chatId, turnId, owner, fenced });
  // Only the last owner's program waits for the answer, so it must not wait any longer (EXT3.7).
  if (situation.isAcp === true && turn.state === 'waiting' && turn.owner !== null && turn.owner !== owner)
    step.afterCommit(() => runtime.dispatch.endElsewhere(turnId));
  if (missing !== undefined && turn.state === 'waiting') noticeMissingTool(runtime, step, turn, missing);
  return true;
}

/** Leaves the turn to a process that has the tool of its next call (STORE4.4). */
export function leaveToOthers(runtime: Runtime, step: Step, turn: TurnRecord, missing: string): void {
  const current = step.tx.current(turn);
  if (current?.state !== 'open' || current.owner !== runtime.process.owner) return;
  const { id: turnId, chatId, interruptions } = current;
  step.tx.write({ kind: 'turn-released', chatId, turnId, interruptions });
  step.tx.wakeTurn(turnId);
  noticeMissingTool(runtime, step, turn, missing);
}

function noticeMissingTool(runtime: Runtime, step: Step, turn: TurnRecord, missing: string): void {
  if (!runtime.process.isAlone()) return;
  const { chatId, id: turnId, triggerId: replyTo } = turn;
  writeNotice(step, { chatId, agentId: null, turnId, replyTo }, 'notice', describeMissingTool(missing));
}

export function readSituation(
  tx: Pick<StepTransaction, 'openCalls'>,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
): Situation {
  const limits = snapshot.world.settings;
  const invocations = turn.iteration === 0 ? [] : tx.openCalls(turn);
  return { turn, invocations, limits, snapshot, isAcp: acpOf(snapshot, turn.agentId) !== undefined };
}

/** Whether the turn waits for a person or a client. */
export function isWaiting(situation: Situation): boolean {
  return nextStep(situation).kind === 'wait';
}

/** The dispatch for a single process, which runs every turn that it makes runnable. */
export function dispatchHere(owner: string, scheduler: Scheduler<Handover>): Dispatch {
  return {
    owner,
    wake(step, turnId, started = []) {
      const turn = step.tx.turn(turnId);
      if (turn !== undefined) wakeHere(scheduler, step, turn, started);
    },
    abort: (turnId, reason, by) => scheduler.abort(turnId, reason, by),
    endElsewhere: () => undefined,
  };
}

/** Wakes the turn after the commit. Reads its situation now, because later it may include uncommitted changes. */
function wakeHere(scheduler: Scheduler<Handover>, step: Step, turn: TurnRecord, started: readonly StartedCall[]): void {
  const situation = readSituation(step.tx, turn, step.snapshot);
  step.afterCommit(() => scheduler.wake(turn.id, { situation, started }));
}

export interface Others {
  /** Whether this process may own another turn. False during shutdown, or if others may consider it dead (STORE4). */
  mayOwn(): boolean;
  /** Tells the process that runs a turn to read it again. */
  wake(turnId: string, owner: string): void;
  abort(turnId: string, reason: string, by?: Who): void;
}

/** With several processes, a turn runs in the process that made it runnable. If that process isn't allowed to own it, a job passes it to another. */
export function dispatchAmongOthers(owner: string, scheduler: Scheduler<Handover>, others: Others): Dispatch {
  return {
    get owner() {
      return others.mayOwn() ? owner : null;
    },
    wake(step, turnId, started = []) {
      const turn = step.tx.turn(turnId);
      if (turn === undefined) return;
      const runsIn = turn.owner;
      if (runsIn === null) step.tx.wakeTurn(turnId);
      else if (runsIn === owner) wakeHere(scheduler, step, turn, started);
      else step.afterCommit(() => others.wake(turnId, runsIn));
    },
    abort(turnId, reason, by) {
      scheduler.abort(turnId, reason, by);
      others.abort(turnId, reason, by);
    },
    endElsewhere: (turnId) => others.abort(turnId, 'another process took over this turn'),
  };
}
