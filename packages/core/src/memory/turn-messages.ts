import type { RowChange, MessageRecord, StoreReader, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';

/** The trigger of a turn and all its messages, oldest first. */
export interface TurnMessages {
  trigger: MessageRecord | undefined;
  own: readonly MessageRecord[];
}

/** The messages of a turn, starting with its first one. */
export interface CachedTurn extends TurnMessages {
  chatId: string;
  agentId: string;
  trigger: MessageRecord;
  own: MessageRecord[];
  /** False once the turn is no longer tracked and later messages are missing. */
  isWhole: boolean;
}

export interface TurnMessagesMemory {
  /** Adds a message that is being written. */
  apply(message: MessageRecord): void;
  /** Undefined if the turn must be read from the store. */
  cached(turnId: string): CachedTurn | undefined;
  forgetChat(chatId: string): void;
}

const MAX_TURNS = 512;
const MAX_TEXT = 8_000_000;

/**
 * Caches the messages of recent turns, so that a model call doesn't have to read back what a step has just written (LIMIT1). A cache miss costs a
 * read.
 */
export function createTurnMessages(): TurnMessagesMemory {
  const turns = new Map<string, CachedTurn>();
  let text = 0;

  function drop(id: string): void {
    const cached = turns.get(id);
    if (cached === undefined) return;
    text -= cached.trigger.content.length;
    for (const message of cached.own) text -= message.content.length;
    cached.isWhole = false;
    turns.delete(id);
  }

  return {
    apply(message) {
      for (const agentId of message.addressees) {
        turns.set(turnId(message.id, agentId), {
          chatId: message.chatId,
          agentId,
          trigger: message,
          own: [],
          isWhole: true,
        });
        text += message.content.length;
      }
      const cached = message.turnId === null ? undefined : turns.get(message.turnId);
      if (cached !== undefined && message.turnId !== null) {
        cached.own.push(message);
        text += message.content.length;
        // Provider state must be returned in its stored form, not as the original object.
        if (message.providerState?.state !== undefined) drop(message.turnId);
      }
      if (turns.size <= MAX_TURNS && text <= MAX_TEXT) return;
      for (const oldest of turns.keys()) {
        if (turns.size <= MAX_TURNS && text <= MAX_TEXT) break;
        drop(oldest);
      }
    },
    cached: (id) => turns.get(id),
    forgetChat(chatId) {
      for (const [id, cached] of [...turns]) if (cached.chatId === chatId) drop(id);
    },
  };
}

export async function readTurnMessages(reader: StoreReader, turn: TurnRecord): Promise<TurnMessages> {
  return { trigger: await reader.message(turn.triggerId), own: await reader.messagesOfTurn(turn.id) };
}

/** The turn that this row ends, if any. */
export function endedBy(row: RowChange): { chatId: string; turnId: string } | undefined {
  if (row.kind === 'turn-changed') return row.change.state === 'ended' ? row : undefined;
  if (row.kind !== 'turn-queued' || row.turn.state !== 'ended') return undefined;
  return { chatId: row.turn.chatId, turnId: row.turn.id };
}
