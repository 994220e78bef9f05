import type { RowChange, MessageRecord, StoreReader, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';

/** What a turn answers and everything it has said, oldest first. */
export interface TurnMessages {
  trigger: MessageRecord | undefined;
  own: readonly MessageRecord[];
}

/** The messages of a turn, from its first one on. */
export interface KeptTurn extends TurnMessages {
  chatId: string;
  agentId: string;
  trigger: MessageRecord;
  own: MessageRecord[];
  /** False once it is no longer kept: what was written since is missing. */
  isWhole: boolean;
}

export interface TurnMessagesMemory {
  /** Kept as it is written. */
  follow(message: MessageRecord): void;
  /** Undefined: it has to be read. */
  kept(turnId: string): KeptTurn | undefined;
  forgetChat(chatId: string): void;
}

const MOST_TURNS = 512;
const MOST_TEXT = 8_000_000;

/**
 * Messages of the turns that were begun last, from their first one on: what a step has just written need not be read back to show it
 * to a model (N1). Losing them costs a read.
 */
export function createTurnMessages(): TurnMessagesMemory {
  const turns = new Map<string, KeptTurn>();
  let text = 0;

  function drop(id: string): void {
    const kept = turns.get(id);
    if (kept === undefined) return;
    text -= kept.trigger.content.length;
    for (const message of kept.own) text -= message.content.length;
    kept.isWhole = false;
    turns.delete(id);
  }

  return {
    follow(message) {
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
      const kept = message.turnId === null ? undefined : turns.get(message.turnId);
      if (kept !== undefined && message.turnId !== null) {
        kept.own.push(message);
        text += message.content.length;
        // A provider's own state is given back as it was stored, not as the object it came in.
        if (message.providerState?.state !== undefined) drop(message.turnId);
      }
      if (turns.size <= MOST_TURNS && text <= MOST_TEXT) return;
      for (const oldest of turns.keys()) {
        if (turns.size <= MOST_TURNS && text <= MOST_TEXT) break;
        drop(oldest);
      }
    },
    kept: (id) => turns.get(id),
    forgetChat(chatId) {
      for (const [id, kept] of [...turns]) if (kept.chatId === chatId) drop(id);
    },
  };
}

export async function readTurnMessages(reader: StoreReader, turn: TurnRecord): Promise<TurnMessages> {
  return { trigger: await reader.message(turn.triggerId), own: await reader.messagesOfTurn(turn.id) };
}

/** The turn that this row ends. */
export function endedBy(row: RowChange): { chatId: string; turnId: string } | undefined {
  if (row.kind === 'turn-changed') return row.change.state === 'ended' ? row : undefined;
  if (row.kind !== 'turn-queued' || row.turn.state !== 'ended') return undefined;
  return { chatId: row.turn.chatId, turnId: row.turn.id };
}
