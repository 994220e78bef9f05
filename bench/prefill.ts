import type { NewMessage } from '@countersign/core/ports';
import { stepOf } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { AGENT } from './ours.js';
import { ANSWER, QUESTIONS, USAGE } from './script.js';

const EXCHANGES_PER_STEP = 1000;

/** Writes a history to a chat: questions, answers and ended turns. */
export async function prefill(
  file: string,
  about: { worldId: string; agentId: string; chatIds: readonly string[] },
  messages: number,
): Promise<void> {
  const store = await openSqlite(file, { synchronous: 'NORMAL' });
  for (const chatId of about.chatIds) {
    for (let written = 0; written < messages / 2; written += EXCHANGES_PER_STEP) {
      const count = Math.min(EXCHANGES_PER_STEP, messages / 2 - written);
      await stepOf(store, about.worldId, { chats: [chatId] }, (tx) => {
        for (let i = 0; i < count; i += 1) writeExchange(tx, { ...about, chatId });
      });
    }
  }
  await store.close();
}

type Step = Parameters<Parameters<typeof stepOf>[3]>[0];

function writeExchange(
  tx: Step,
  { worldId, agentId, chatId }: { worldId: string; agentId: string; chatId: string },
): void {
  const id = crypto.randomUUID().replaceAll('-', '');
  const turnId = `turn_${id}.${agentId}`;
  const common = {
    worldId,
    chatId,
    toolCalls: null,
    toolCallId: null,
    clientMessageId: null,
    attachments: null,
  } satisfies Partial<NewMessage>;
  const question = tx.appendMessage({
    ...common,
    id: `msg_${id}`,
    role: 'user',
    sender: 'human',
    who: null,
    speaker: 'human',
    agentId: null,
    turnId: null,
    iteration: null,
    replyTo: null,
    content: QUESTIONS.text,
    addressees: [agentId],
    providerState: null,
    secrets: [],
  });
  tx.insertTurn({
    id: turnId,
    worldId,
    chatId,
    agentId,
    triggerId: question.id,
    triggerSeq: question.seq,
    requester: null,
    review: null,
    state: 'ended',
    outcome: 'answered',
    iteration: 1,
    epoch: 1,
    owner: null,
    interruptions: 0,
    begunSeq: question.seq,
    ...USAGE,
    microdollars: null,
    createdAt: tx.now(),
    endedAt: tx.now(),
  });
  const answer = tx.appendMessage({
    ...common,
    id: `msg_${crypto.randomUUID().replaceAll('-', '')}`,
    role: 'assistant',
    sender: agentId,
    who: null,
    speaker: 'agent',
    agentId,
    turnId,
    iteration: 1,
    replyTo: question.id,
    content: ANSWER,
    addressees: [],
    secrets: [],
    providerState: { provider: AGENT.provider, model: AGENT.model, usage: USAGE, vendorIds: [] },
  });
  tx.emit({ event: 'message', chatId, message: question });
  tx.emit({ event: 'message', chatId, message: answer });
}
