import { maskSecrets } from '../masking/index.js';
import type { MessageRecord, TurnOutcome, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';
import { isSuspect } from './quarantine.js';
import type { Runtime, Step } from './runtime.js';
import { readSituation, waits } from './turn-state.js';

/** Writes the turn of each agent that answers a message, in the message's own step (S1). */
export function queueTurns(runtime: Runtime, step: Step, message: MessageRecord): void {
  const { chatId, seq } = message;
  for (const agentId of message.addressees) {
    step.tx.write({ kind: 'turn-queued', turn: queuedTurn(message, agentId) });
    // It stays in order behind an unfinished turn, which it must never replace (M11).
    if (step.tx.currentTurn(chatId, agentId) === undefined) openNext(runtime, step, { chatId, agentId, begunSeq: seq });
  }
}

function queuedTurn(message: MessageRecord, agentId: string): TurnRecord {
  return {
    id: turnId(message.id, agentId),
    worldId: message.worldId,
    chatId: message.chatId,
    agentId,
    triggerId: message.id,
    triggerSeq: message.seq,
    state: 'queued',
    outcome: null,
    iteration: 0,
    epoch: 1,
    owner: null,
    interruptions: 0,
    begunSeq: null,
    inputTokens: 0,
    outputTokens: 0,
    createdAt: message.createdAt,
    endedAt: null,
  };
}

/**
 * Opens the oldest queued turn of an agent in a chat. The limit is checked when a turn begins (M6): at the limit the agent says so once,
 * beyond it stays silent. `begunSeq`: what it sees, if that is not everything.
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
    const taken = tx.countBegun(chatId, agentId);
    if (taken < turnLimit) {
      tx.write({ kind: 'turn-opened', ...about, owner: runtime.dispatch.owner });
      runtime.dispatch.wake({ tx, ...step }, next.id);
      return;
    }
    if (taken > turnLimit) {
      tx.write({ kind: 'turn-ended', ...about, outcome: 'silent' });
      continue;
    }
    tx.write({ kind: 'turn-ended', ...about, outcome: 'handed-over' });
    const content = `@human I have taken ${turnLimit} turns since you last wrote, so I stop here. Write to me to go on.`;
    const words = { role: 'assistant', sender: agentId, speaker: 'agent', content, replyTo: next.triggerId } as const;
    const message = tx.newMessage(chatId, { ...words, agentId, turnId: next.id, iteration: 0 });
    tx.write({ kind: 'message-sent', message });
  }
}

/** Ends a turn that has no answer and writes the reason to the chat. Does nothing if the turn is no longer as it was read. */
export function endWithError(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  outcome: Extract<TurnOutcome, 'failed' | 'exhausted' | 'interrupted'>,
  reason: string,
): void {
  const { tx } = step;
  const { chatId, agentId, id, triggerId } = turn;
  // A call that is not settled would be left behind.
  if (tx.current(turn)?.state !== 'open' || tx.openCalls(turn).length > 0) return;
  tx.write({ kind: 'turn-ended', chatId, turnId: id, outcome });
  writeNotice(step, { chatId, agentId, turnId: id, replyTo: triggerId }, 'error', maskSecrets(reason));
  openNext(runtime, step, { chatId, agentId });
}

/** Something the person should know that nobody said: an error to act on, a stop. */
export function writeNotice(
  { tx }: Step,
  about: { chatId: string; agentId: string | null; turnId: string | null; replyTo: string },
  type: 'error' | 'notice',
  content: string,
): void {
  const { chatId, ...place } = about;
  const words = { role: 'system', sender: 'system', speaker: 'system', content, ...place } as const;
  tx.write({ kind: 'notice-written', type, message: tx.newMessage(chatId, words) });
}

/**
 * After something was written that may bring a turn further, such as the end of one of its calls: it is open if this process or another can
 * go on with it, and waits otherwise. True: it is open, and has to be woken (S1).
 */
export function resumeTurn(runtime: Runtime, { tx, snapshot }: Step, turnId: string): boolean {
  const turn = tx.turn(turnId);
  if (turn === undefined || turn.state === 'queued') throw new Error('only a turn that has begun can go on');
  const { chatId } = turn;
  if (waits(readSituation(tx, turn, snapshot))) {
    if (turn.state === 'open') tx.write({ kind: 'turn-paused', chatId, turnId });
    return false;
  }
  // No process runs a waiting turn, whichever one its row names: left there, a decision after a restart would go unnoticed (A9).
  // A suspect waits until it may run alone.
  const isOrphan = turn.state === 'open' && turn.owner === null && !isSuspect(turn);
  const owner = isOrphan || turn.state === 'waiting' ? runtime.dispatch.owner : turn.owner;
  // A process that lost it may be only frozen: it must not settle what it had started.
  const fenced = isOrphan && owner !== null;
  if (fenced || turn.state === 'waiting') tx.write({ kind: 'turn-resumed', chatId, turnId, owner, fenced });
  return true;
}
