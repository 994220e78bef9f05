import type { TurnOutcome } from '../ports/index.js';
import { toPublicMessage } from '../publishers/public-message.js';
import type { Runtime } from '../step/runtime.js';
import { readAllMessages } from './read-all-messages.js';

/** A turn that ended without an answer, as the transcript explains it. */
export interface TurnFailure {
  /** The agent that couldn't answer. */
  agentId: string;
  /** What went wrong and what to do, such as "Mason could not answer. openai rejected the API key. …". */
  reason: string;
}

const FAILED: readonly (TurnOutcome | null)[] = ['failed', 'exhausted', 'interrupted'];

/** The first turn that failed since the last message from a person or the world. */
export async function turnFailure({ store }: Runtime, chatId: string): Promise<TurnFailure | undefined> {
  return await store.read(async (reader) => {
    const chat = await reader.chat(chatId);
    if (chat === undefined) return undefined;
    for await (const message of readAllMessages(reader, chat, chat.humanSeq)) {
      const { role, agentId, turnId } = message;
      if (role !== 'system' || agentId === null || turnId === null) continue;
      const turn = await reader.turn(turnId);
      if (turn !== undefined && FAILED.includes(turn.outcome))
        return { agentId, reason: toPublicMessage(message).content };
    }
    return undefined;
  });
}
