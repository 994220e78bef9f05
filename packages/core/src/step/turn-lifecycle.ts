import type { ChatRecord, MessageRecord, TurnChange, TurnOutcome, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';
import { mustHaveChanged, type Runtime, type Step } from './runtime.js';
import { writeTurnMessage } from './write-message.js';

/** Writes the turn of each agent that answers a message, in the message's own transaction (S1). `chat` is as it was before the message. */
export async function queueTurns(
  runtime: Runtime,
  step: Step,
  message: MessageRecord,
  chat: Pick<ChatRecord, 'humanSeq'>,
): Promise<void> {
  const fromPerson = message.speaker === 'human' || message.speaker === 'world';
  const now = { lastSeq: message.seq, humanSeq: fromPerson ? message.seq : chat.humanSeq };
  for (const agentId of message.addressees) {
    const busy = await step.tx.currentTurn(message.chatId, agentId);
    const turn = queuedTurn(message, agentId);
    // Kept in order behind an unfinished turn, which it must never replace (M11).
    if (busy !== undefined) {
      await step.tx.insertTurn(turn);
      continue;
    }
    const begun = await begin(step, turn, now);
    await step.tx.insertTurn({ ...turn, ...begun.change, owner: begun.open ? runtime.dispatch.owner : null });
    if (begun.open) await runtime.dispatch.wake(step, turn.id);
    else await begun.say();
  }
}

/** The turn of an agent that answers this message, before anything was done about it. */
export function queuedTurn(message: MessageRecord, agentId: string): TurnRecord {
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
export async function endTurn(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  outcome: TurnOutcome,
  sayLast: () => Promise<void> | void,
  change: TurnChange = {},
): Promise<boolean> {
  const ended = { ...change, state: 'ended' as const, outcome, owner: null, endedAt: step.tx.now() };
  if (!(await step.tx.stepTurn(turn, ended))) return false;
  step.afterCommit(() => runtime.measure({ kind: 'turn', worldId: turn.worldId, turnId: turn.id, outcome }));
  if (outcome !== 'answered') await recordEnd(step, turn, outcome);
  await sayLast();
  await openNext(runtime, step, turn.chatId, turn.agentId);
  return true;
}

/** Opens the oldest queued turn of an agent in a chat, passing over those the turn limit silences. */
export async function openNext(runtime: Runtime, step: Step, chatId: string, agentId: string): Promise<void> {
  // A message that is being kept right now queues behind this turn, since it can't know yet that it ends: unseen, it would wait for ever.
  await step.tx.lockChat(chatId);
  for (;;) {
    const next = await step.tx.nextQueuedTurn(chatId, agentId);
    if (next === undefined) return;
    const chat = await step.tx.chat(chatId);
    if (chat === undefined) return;
    const begun = await begin(step, next, chat);
    mustHaveChanged(
      await step.tx.stepTurn(next, { ...begun.change, owner: begun.open ? runtime.dispatch.owner : null }),
    );
    if (begun.open) {
      await runtime.dispatch.wake(step, next.id);
      return;
    }
    await begun.say();
  }
}

type Begun = { open: true; change: TurnChange } | { open: false; change: TurnChange; say: () => Promise<void> };

/** Checked when a turn begins (M6): within the limit it opens, at the limit the agent says so once, beyond it stays silent. */
async function begin(step: Step, turn: TurnRecord, chat: Pick<ChatRecord, 'lastSeq' | 'humanSeq'>): Promise<Begun> {
  const { turnLimit } = step.snapshot.world.settings;
  const begunSeq = chat.lastSeq;
  // Nothing can have begun since a message that was written in this very step.
  const taken =
    chat.humanSeq === begunSeq ? 0 : await step.tx.countTurnsSince(turn.chatId, turn.agentId, chat.humanSeq);
  if (taken < turnLimit) return { open: true, change: { state: 'open', begunSeq } };
  const ended = { state: 'ended' as const, begunSeq, endedAt: step.tx.now() };
  if (taken > turnLimit)
    return { open: false, change: { ...ended, outcome: 'silent' }, say: () => recordEnd(step, turn, 'silent') };
  return {
    open: false,
    change: { ...ended, outcome: 'handed-over' },
    say: async () => {
      await writeTurnMessage(step, turn, 0, {
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
export async function recordEnd(
  step: Step,
  turn: Pick<TurnRecord, 'id' | 'chatId' | 'worldId'>,
  outcome: TurnOutcome,
): Promise<void> {
  const pendingOperations = await step.tx.countWorking(turn.worldId);
  step.tx.emit({
    event: 'world',
    chatId: turn.chatId,
    data: { type: 'turn-ended', pendingOperations, turnId: turn.id, outcome },
  });
}

/** Tells what a chat is doing when that changed (M8). Last in a step, when its turns stand as they will be committed. */
export async function noteActivity(runtime: Runtime, step: Step, chatId: string): Promise<void> {
  // Before the count: two turns that end at once would each count the other, and the chat would be at work for ever.
  const before = await step.tx.lockChat(chatId);
  const { working, waiting } = await step.tx.countUnfinished(chatId);
  const status = working > 0 ? 'working' : waiting > 0 ? 'waiting' : 'idle';
  if (before === undefined || status === before) return;
  await step.tx.setChatStatus(chatId, status);
  const worldId = step.snapshot.world.id;
  const pendingOperations = await step.tx.countWorking(worldId);
  step.tx.emit({ event: 'world', chatId, data: { type: status, pendingOperations } });
  if (status === 'idle') step.afterCommit(() => runtime.chatFellIdle(worldId, chatId));
}

/** Whoever waits for one of these chats hears that it is idle; without it they would wait for ever. */
export async function noteActivityIn(
  runtime: Runtime,
  step: Step,
  turns: readonly { chatId: string }[],
): Promise<void> {
  for (const chatId of new Set(turns.map((turn) => turn.chatId))) await noteActivity(runtime, step, chatId);
}
