import type { ChatRecord, MessageRecord, TurnChange, TurnOutcome, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';
import { mustHaveChanged, type Runtime, type Step } from './runtime.js';
import { writeTurnMessage } from './write-message.js';

/** Writes the turn of each agent that answers a message, in the message's own step (S1). */
export function queueTurns(runtime: Runtime, step: Step, message: MessageRecord): void {
  for (const agentId of message.addressees) {
    const busy = step.tx.currentTurn(message.chatId, agentId);
    const turn = queuedTurn(message, agentId);
    // Kept in order behind an unfinished turn, which it must never replace (M11).
    if (busy !== undefined) {
      step.tx.insertTurn(turn);
      continue;
    }
    const begun = begin(step, turn, { lastSeq: message.seq });
    step.tx.insertTurn({ ...turn, ...begun.change, owner: begun.open ? runtime.dispatch.owner : null });
    if (begun.open) runtime.dispatch.wake(step, turn.id);
    else begun.say();
  }
}

/** The turn of an agent that answers this message, before anything was done about it. */
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
    rev: 1,
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
 * Ends a turn, with its last words, and opens the next one of the same agent and chat in the same transaction. The words come
 * first: at the turn limit opening the next one says something too. False: the turn was lost, nothing written.
 */
export function endTurn(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  outcome: TurnOutcome,
  sayLast: () => void,
  change: TurnChange = {},
): boolean {
  const ended = { ...change, state: 'ended' as const, outcome, owner: null, endedAt: step.tx.now() };
  if (!step.tx.stepTurn(turn, ended)) return false;
  step.afterCommit(() => runtime.measure({ kind: 'turn', worldId: turn.worldId, turnId: turn.id, outcome }));
  if (outcome !== 'answered') recordEnd(step, turn, outcome);
  sayLast();
  openNext(runtime, step, turn.chatId, turn.agentId);
  return true;
}

/** Opens the oldest queued turn of an agent in a chat, passing over those the turn limit silences. */
export function openNext(runtime: Runtime, step: Step, chatId: string, agentId: string): void {
  for (;;) {
    const next = step.tx.nextQueuedTurn(chatId, agentId);
    if (next === undefined) return;
    const chat = step.tx.chat(chatId);
    if (chat === undefined) return;
    const begun = begin(step, next, chat);
    mustHaveChanged(step.tx.stepTurn(next, { ...begun.change, owner: begun.open ? runtime.dispatch.owner : null }));
    if (begun.open) {
      runtime.dispatch.wake(step, next.id);
      return;
    }
    begun.say();
  }
}

type Begun = { open: true; change: TurnChange } | { open: false; change: TurnChange; say: () => void };

/** Checked when a turn begins (M6): within the limit it opens, at the limit the agent says so once, beyond it stays silent. */
function begin(step: Step, turn: TurnRecord, { lastSeq: begunSeq }: Pick<ChatRecord, 'lastSeq'>): Begun {
  const { turnLimit } = step.snapshot.world.settings;
  const taken = step.tx.countBegun(turn.chatId, turn.agentId);
  if (taken < turnLimit) return { open: true, change: { state: 'open', begunSeq } };
  const ended = { state: 'ended' as const, begunSeq, endedAt: step.tx.now() };
  if (taken > turnLimit)
    return { open: false, change: { ...ended, outcome: 'silent' }, say: () => recordEnd(step, turn, 'silent') };
  return {
    open: false,
    change: { ...ended, outcome: 'handed-over' },
    say: () => {
      writeTurnMessage(step, turn, 0, {
        role: 'assistant',
        sender: turn.agentId,
        speaker: 'agent',
        content: `@human I have taken ${turnLimit} turns since you last wrote, so I stop here. Write to me to go on.`,
        replyTo: turn.triggerId,
      });
    },
  };
}

/** The record of a turn's end where no answer is one: without it a turn could not be told from an unfinished one (A9). */
export function recordEnd(step: Step, turn: Pick<TurnRecord, 'id' | 'chatId' | 'worldId'>, outcome: TurnOutcome): void {
  const pendingOperations = step.tx.countWorking();
  step.tx.emit({
    event: 'world',
    chatId: turn.chatId,
    data: { type: 'turn-ended', pendingOperations, turnId: turn.id, outcome },
  });
}

/** Tells what a chat is doing when that changed (M8). Last in a step, when its turns stand as they will be committed. */
export function noteActivity(runtime: Runtime, step: Step, chatId: string): void {
  const before = step.tx.chat(chatId)?.status;
  const { working, waiting } = step.tx.countUnfinished(chatId);
  const status = working > 0 ? 'working' : waiting > 0 ? 'waiting' : 'idle';
  if (before === undefined || status === before) return;
  step.tx.changeChat(chatId, { status });
  const worldId = step.snapshot.world.id;
  const pendingOperations = step.tx.countWorking();
  step.tx.emit({ event: 'world', chatId, data: { type: status, pendingOperations } });
  if (status === 'idle') step.afterCommit(() => runtime.chatFellIdle(worldId, chatId));
}

/** Whoever waits for one of these chats hears that it is idle; without it they would wait for ever. */
export function noteActivityIn(runtime: Runtime, step: Step, turns: readonly { chatId: string }[]): void {
  for (const chatId of new Set(turns.map((turn) => turn.chatId))) noteActivity(runtime, step, chatId);
}
