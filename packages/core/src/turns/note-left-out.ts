import type { TurnRecord } from '../ports/index.js';
import { commit } from '../step/commit.js';
import { writeNotice } from '../step/move-turn.js';
import type { Runtime } from '../step/runtime.js';

/** Identifies the notice in its chat, so that it is written once, by whichever process. */
const LEFT_OUT_ID = 'countersign:left-out';
const told = new WeakMap<Runtime, Set<string>>();
/** A forgotten chat costs a read. */
const MOST_TOLD = 1_000;

/** Tells people, once per chat, that an agent no longer sees all of it (WORLD15.3). */
export async function noteLeftOut(runtime: Runtime, turn: TurnRecord, agent: string, window: number): Promise<void> {
  const { id: turnId, worldId, chatId, triggerId: replyTo } = turn;
  const chats = told.get(runtime) ?? new Set();
  if (chats.has(chatId)) return;
  const sent = { chatId, clientMessageId: LEFT_OUT_ID };
  await commit(runtime, 'note-left-out', worldId, { chats: [chatId], sent }, (step) => {
    if (step.tx.current(turn) === undefined || step.tx.sent(chatId, LEFT_OUT_ID) !== undefined) return;
    const content = `This chat no longer fits into the context window of ${agent}'s model (${window.toLocaleString('en')} tokens). From now on, its oldest messages are not sent. Start a new chat for a new topic, or set the agent's contextTokens if the model's window is larger.`;
    writeNotice(step, { chatId, agentId: null, turnId, replyTo, clientMessageId: LEFT_OUT_ID }, 'notice', content);
  });
  if (chats.size >= MOST_TOLD) chats.clear();
  told.set(runtime, chats.add(chatId));
}
