import type { MessageRecord, StoreReader, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';

/** What a turn answers and everything it has said, oldest first. */
export interface TurnMessages {
  trigger: MessageRecord | undefined;
  own: readonly MessageRecord[];
}

export interface TurnMessagesMemory {
  /** Kept as it is written, in the step that writes it. Where several processes write, nothing is kept. */
  heard(message: MessageRecord): void;
  of(reader: StoreReader, turn: TurnRecord): Promise<TurnMessages>;
  forgetChat(chatId: string): void;
}

interface Kept {
  chatId: string;
  trigger: MessageRecord;
  own: MessageRecord[];
}

const MOST_TURNS = 512;
const MOST_TEXT = 8_000_000;

/**
 * Messages of the turns that were begun last, from their first one on: what a step has just written need not be read back to show it
 * to a model (N1). Losing them costs a read.
 */
export function createTurnMessages(follows: boolean): TurnMessagesMemory {
  const turns = new Map<string, Kept>();
  let text = 0;

  function drop(id: string): void {
    const kept = turns.get(id);
    if (kept === undefined) return;
    for (const message of [kept.trigger, ...kept.own]) text -= message.content.length;
    turns.delete(id);
  }

  return {
    heard(message) {
      if (!follows) return;
      for (const agentId of message.addressees) {
        turns.set(turnId(message.id, agentId), { chatId: message.chatId, trigger: message, own: [] });
        text += message.content.length;
      }
      const kept = message.turnId === null ? undefined : turns.get(message.turnId);
      if (kept !== undefined && message.turnId !== null) {
        kept.own.push(message);
        text += message.content.length;
        // A provider's own state is given back as it was stored, not as the object it came in.
        if (message.providerState?.state !== undefined) drop(message.turnId);
      }
      for (const oldest of turns.keys()) {
        if (turns.size <= MOST_TURNS && text <= MOST_TEXT) break;
        drop(oldest);
      }
    },
    async of(reader, turn) {
      const kept = turns.get(turn.id);
      if (kept !== undefined) return kept;
      return { trigger: await reader.message(turn.triggerId), own: await reader.messagesOfTurn(turn.id) };
    },
    forgetChat(chatId) {
      for (const [id, kept] of [...turns]) if (kept.chatId === chatId) drop(id);
    },
  };
}
