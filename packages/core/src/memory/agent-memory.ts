import type { MessageRecord, ModelMessage, StoreReader, TurnRecord } from '../ports/index.js';
import { sizeOf, toModelMessages, type ViewFor } from './model-messages.js';
import { createTurnMessages, type TurnMessages, type TurnMessagesMemory } from './turn-messages.js';

/** One ended turn as a model sees it. Ended turns never change, so a block is made once. */
interface Block {
  triggerSeq: number;
  messages: readonly ModelMessage[];
  size: number;
}

/** Past turns that fit a budget, oldest first. `leftOut` tells that there were older ones. */
interface PastTurns {
  messages: readonly ModelMessage[];
  leftOut: boolean;
}

export interface AgentMemory {
  /** Ended turns of this turn's agent and chat before it, newest that fit `budget` characters. Valid until the next call. */
  past(reader: StoreReader, turn: TurnRecord, view: ViewFor, budget: number): Promise<PastTurns>;
  /** What this turn answers and what it has said so far. */
  current(reader: StoreReader, turn: TurnRecord): Promise<TurnMessages>;
  /** A message is being written. To be forgotten with its chat if the step is not kept. */
  heard(message: MessageRecord): void;
  forgetChat(chatId: string): void;
}

/** What is kept of one agent and chat. `messages` is the blocks' messages in one list, added to in place: copying it for each turn would cost more with every message. */
interface Remembered {
  version: number;
  blocks: Block[];
  messages: ModelMessage[];
  size: number;
  leftOut: boolean;
  /** The turn it was last read for: while that goes on, no other one of its agent and chat can end. */
  readFor: string;
}

const PAGE = 32;
/** When a view overflows it is cut to this share, so that most turns add to it and cut nothing. */
const KEEP_AFTER_CUT = 0.75;

/**
 * An agent's memory of a chat is a view of the transcript. Blocks already made are kept for the chats used last, at most
 * `capacity` characters of them together; losing them costs a read, never a message.
 */
export function createAgentMemory({ capacity = 32_000_000, follows = false } = {}): AgentMemory {
  const messages = createTurnMessages(follows);
  const remembered = new Map<string, Remembered>();
  let held = 0;

  function forget(key: string): Remembered | undefined {
    const entry = remembered.get(key);
    if (entry === undefined) return undefined;
    held -= entry.size;
    remembered.delete(key);
    return entry;
  }

  /** Most recently used last; the first go when too much is held. */
  function remember(key: string, entry: Remembered): void {
    remembered.set(key, entry);
    held += entry.size;
    for (const oldest of remembered.keys()) {
      if (held <= capacity) return;
      forget(oldest);
    }
  }

  return {
    async past(reader, turn, view, budget) {
      const key = `${turn.chatId}\n${turn.agentId}\n${view.provider}\n${view.model}`;
      const known = remembered.get(key);
      const newest = known?.blocks.at(-1)?.triggerSeq ?? 0;
      const usable = known?.version === view.version && newest < turn.triggerSeq ? known : undefined;
      if (usable?.readFor === turn.id && usable.size <= budget) {
        return { messages: usable.messages, leftOut: usable.leftOut };
      }
      const fresh = await readBlocks(reader, messages, turn, view, usable === undefined ? 0 : newest, budget);
      const entry = usable === undefined || fresh.full ? emptyMemory(view.version, fresh.full) : usable;
      forget(key);
      entry.readFor = turn.id;
      for (const block of fresh.blocks) add(entry, block);
      if (entry.size > budget) cut(entry, budget * KEEP_AFTER_CUT);
      remember(key, entry);
      return { messages: entry.messages, leftOut: entry.leftOut };
    },
    current: (reader, turn) => messages.of(reader, turn),
    heard: (message) => messages.heard(message),
    forgetChat(chatId) {
      messages.forgetChat(chatId);
      for (const key of [...remembered.keys()]) if (key.startsWith(`${chatId}\n`)) forget(key);
    },
  };
}

function emptyMemory(version: number, leftOut: boolean): Remembered {
  return { version, blocks: [], messages: [], size: 0, leftOut, readFor: '' };
}

function add(entry: Remembered, block: Block): void {
  entry.blocks.push(block);
  entry.messages.push(...block.messages);
  entry.size += block.size;
}

/** Whole oldest exchanges go, never half of one (C2). */
function cut(entry: Remembered, budget: number): void {
  let blocks = 0;
  let messages = 0;
  for (const block of entry.blocks) {
    if (entry.size <= budget) break;
    entry.size -= block.size;
    blocks += 1;
    messages += block.messages.length;
  }
  entry.blocks.splice(0, blocks);
  entry.messages.splice(0, messages);
  entry.leftOut = true;
}

/** Newest first until `after` is reached or the budget is full; returned oldest first. */
async function readBlocks(
  reader: StoreReader,
  memory: TurnMessagesMemory,
  turn: TurnRecord,
  view: ViewFor,
  after: number,
  budget: number,
): Promise<{ blocks: Block[]; full: boolean }> {
  const blocks: Block[] = [];
  let size = 0;
  let before = turn.triggerSeq;
  for (;;) {
    const page = await reader.endedTurns(turn.chatId, turn.agentId, { after, before, limit: PAGE });
    for (const past of page) {
      const block = await readBlock(reader, memory, past, view);
      if (size + block.size > budget) return { blocks: blocks.toReversed(), full: true };
      blocks.push(block);
      size += block.size;
      before = past.triggerSeq;
    }
    if (page.length < PAGE) return { blocks: blocks.toReversed(), full: false };
  }
}

async function readBlock(
  reader: StoreReader,
  memory: TurnMessagesMemory,
  past: TurnRecord,
  view: ViewFor,
): Promise<Block> {
  const { trigger, own } = await memory.of(reader, past);
  const messages = toModelMessages(trigger, own, view);
  return { triggerSeq: past.triggerSeq, messages, size: messages.reduce((sum, message) => sum + sizeOf(message), 0) };
}
