import type { ModelMessage, StoreReader, TurnRecord } from '../ports/index.js';
import { sizeOf, toModelMessages, type ViewFor } from './model-messages.js';

/** One ended turn as a model sees it. Ended turns never change, so a block is made once. */
export interface Block {
  triggerSeq: number;
  messages: readonly ModelMessage[];
  size: number;
}

/** Past turns that fit a budget, oldest first. `leftOut` tells that there were older ones. */
export interface PastTurns {
  blocks: readonly Block[];
  leftOut: boolean;
}

export interface AgentMemory {
  /** Ended turns of this turn's agent and chat before it, newest that fit `budget` characters. */
  past(reader: StoreReader, turn: TurnRecord, view: ViewFor, budget: number): Promise<PastTurns>;
  forgetChat(chatId: string): void;
}

interface Remembered extends PastTurns {
  key: string;
  version: number;
  size: number;
}

const PAGE = 32;
/** When a view overflows it is cut to this share, so that most turns add to it and cut nothing: reading all anew each time would cost more with every message. */
const KEEP_AFTER_CUT = 0.75;

/**
 * An agent's memory of a chat is a view of the transcript. Blocks already made are kept for the chats used last, at most
 * `capacity` characters of them together; losing them costs a read, never a message.
 */
export function createAgentMemory(capacity = 32_000_000): AgentMemory {
  const remembered = new Map<string, Remembered>();
  let held = 0;

  function forget(key: string): void {
    const entry = remembered.get(key);
    if (entry === undefined) return;
    held -= entry.size;
    remembered.delete(key);
  }

  function remember(entry: Remembered): void {
    forget(entry.key);
    remembered.set(entry.key, entry);
    held += entry.size;
    for (const key of remembered.keys()) {
      if (held <= capacity) return;
      forget(key);
    }
  }

  return {
    async past(reader, turn, view, budget) {
      const key = `${turn.chatId}\n${turn.agentId}\n${view.provider}\n${view.model}`;
      const known = remembered.get(key);
      const newest = known?.blocks.at(-1)?.triggerSeq ?? 0;
      const usable = known?.version === view.version && newest < turn.triggerSeq ? known : undefined;
      const fresh = await readBlocks(reader, turn, view, usable === undefined ? 0 : newest, budget);
      const older = fresh.full || usable === undefined ? [] : usable.blocks;
      const cut = cutToBudget([...older, ...fresh.blocks], budget);
      const leftOut = fresh.full || cut.leftOut || (usable?.leftOut ?? false);
      remember({ key, version: view.version, blocks: cut.blocks, leftOut, size: cut.size });
      return { blocks: cut.blocks, leftOut };
    },
    forgetChat(chatId) {
      for (const key of [...remembered.keys()]) if (key.startsWith(`${chatId}\n`)) forget(key);
    },
  };
}

/** Newest first until `after` is reached or the budget is full; returned oldest first. */
async function readBlocks(
  reader: StoreReader,
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
      const block = await readBlock(reader, past, view);
      if (size + block.size > budget) return { blocks: blocks.toReversed(), full: true };
      blocks.push(block);
      size += block.size;
      before = past.triggerSeq;
    }
    if (page.length < PAGE) return { blocks: blocks.toReversed(), full: false };
  }
}

async function readBlock(reader: StoreReader, past: TurnRecord, view: ViewFor): Promise<Block> {
  const trigger = await reader.message(past.triggerId);
  const messages = toModelMessages(trigger, await reader.messagesOfTurn(past.id), view);
  return { triggerSeq: past.triggerSeq, messages, size: messages.reduce((sum, message) => sum + sizeOf(message), 0) };
}

/** Whole oldest exchanges go, never half of one (C2). */
function cutToBudget(blocks: readonly Block[], budget: number): { blocks: Block[]; size: number; leftOut: boolean } {
  let size = blocks.reduce((sum, block) => sum + block.size, 0);
  if (size <= budget) return { blocks: [...blocks], size, leftOut: false };
  let first = 0;
  for (const block of blocks) {
    if (size <= budget * KEEP_AFTER_CUT) break;
    size -= block.size;
    first += 1;
  }
  return { blocks: blocks.slice(first), size, leftOut: true };
}
