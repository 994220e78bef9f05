import { allPartsOf, type RowChange, type ModelMessage, type StoreReader, type TurnRecord } from '../ports/index.js';
import { sizeOf, toModelMessages, type ViewFor } from './model-messages.js';
import {
  createTurnMessages,
  endedBy,
  readTurnMessages,
  type CachedTurn,
  type TurnMessages,
  type TurnMessagesMemory,
} from './turn-messages.js';

/** An ended turn as a model sees it. Ended turns never change, so a block is built once. */
interface Block {
  triggerSeq: number;
  messages: readonly ModelMessage[];
  size: number;
}

/** Past turns that fit a budget, oldest first. `leftOut`: older turns exist. */
interface PastTurns {
  messages: readonly ModelMessage[];
  leftOut: boolean;
}

export interface AgentMemory {
  /**
   * The newest ended turns of this turn's agent and chat that fit into `budget` characters. Valid until the next call. Undefined if they must
   * be read from the store and there is no reader.
   */
  past(reader: StoreReader | undefined, turn: TurnRecord, view: ViewFor, budget: number): Known<PastTurns>;
  /** The message that this turn answers, and its own messages so far. Undefined as for `past`. */
  current(reader: StoreReader | undefined, turn: TurnRecord): Known<TurnMessages>;
  /** Updates the cache from a row that is being written. If the step is rolled back, call `forgetChat`. */
  apply(row: RowChange): void;
  forgetChat(chatId: string): void;
}

type Known<T> = T | Promise<T> | undefined;

/** The cache for one agent and chat. `messages` concatenates the blocks and is extended in place, because copying it per turn is slow. */
interface Remembered {
  provider: string;
  model: string;
  version: number;
  blocks: Block[];
  messages: ModelMessage[];
  size: number;
  leftOut: boolean;
  /** The turn that last read the entry. Until that turn ends, no other turn of its agent and chat can end. */
  readFor: string;
  /** Turns that have ended since. Undefined if some are unknown and have to be read from the store. */
  ended: CachedTurn[] | undefined;
}

const PAGE = 32;
/** On overflow, a view is cut to this share of the budget, so that most turns only append to it. */
const KEEP_AFTER_CUT = 0.75;

/**
 * An agent's memory of a chat is a view of the transcript. Caches blocks of recently used chats, up to `capacity` characters; a cache
 * miss only costs a read.
 */
export function createAgentMemory({ capacity = 32_000_000 } = {}): AgentMemory {
  const messages = createTurnMessages();
  const remembered = new Map<string, Remembered>();
  let held = 0;

  function forget(key: string): void {
    const entry = remembered.get(key);
    if (entry === undefined) return;
    held -= entry.size;
    remembered.delete(key);
  }

  /** LRU: the most recently used entry is last, and the first ones are evicted. */
  function remember(key: string, entry: Remembered): void {
    remembered.set(key, entry);
    held += entry.size;
    if (held <= capacity) return;
    for (const oldest of remembered.keys()) {
      if (held <= capacity) return;
      forget(oldest);
    }
  }

  function noteEnd({ chatId, turnId }: { chatId: string; turnId: string }): void {
    const cached = messages.cached(turnId);
    if (cached === undefined) {
      // The agent of the turn is unknown, so invalidate all agents of the chat. That costs at most an unnecessary read.
      for (const [key, entry] of remembered) if (isOf(key, chatId)) entry.ended = undefined;
      return;
    }
    const entry = remembered.get(keyOf(cached));
    if (entry?.ended === undefined) return;
    entry.ended.push(cached);
    // The agent has not read its memory for a page of turns, so stop collecting.
    if (entry.ended.length > PAGE) entry.ended = undefined;
  }

  function update(turn: TurnRecord, entry: Remembered, blocks: readonly Block[], budget: number): PastTurns {
    const key = keyOf(turn);
    forget(key);
    entry.readFor = turn.id;
    entry.ended = [];
    for (const block of blocks) add(entry, block);
    if (entry.size > budget) cut(entry, budget * KEEP_AFTER_CUT);
    remember(key, entry);
    return entry;
  }

  async function read(
    reader: StoreReader,
    turn: TurnRecord,
    view: ViewFor,
    usable: Remembered | undefined,
    budget: number,
  ): Promise<PastTurns> {
    const fresh = await readBlocks(reader, messages, turn, view, newestOf(usable), budget);
    const entry = usable === undefined || fresh.full ? emptyMemory(view, fresh.full) : usable;
    return update(turn, entry, fresh.blocks, budget);
  }

  return {
    past(reader, turn, view, budget) {
      const known = remembered.get(keyOf(turn));
      const usable = known !== undefined && isFor(known, view) && newestOf(known) < turn.triggerSeq ? known : undefined;
      if (usable?.readFor === turn.id && usable.size <= budget) return usable;
      if (usable?.ended?.every(({ isWhole }) => isWhole) === true) {
        const since = usable.ended.filter(({ trigger: { seq } }) => seq > newestOf(usable) && seq < turn.triggerSeq);
        since.sort((one, other) => one.trigger.seq - other.trigger.seq);
        return update(
          turn,
          usable,
          since.map((ended) => toBlock(ended, ended.trigger.seq, view)),
          budget,
        );
      }
      return reader === undefined ? undefined : read(reader, turn, view, usable, budget);
    },
    current(reader, turn) {
      return messages.cached(turn.id) ?? (reader === undefined ? undefined : readTurnMessages(reader, turn));
    },
    apply(row) {
      if (row.kind === 'message-written') messages.apply(row.message);
      const ended = endedBy(row);
      if (ended !== undefined) noteEnd(ended);
    },
    forgetChat(chatId) {
      messages.forgetChat(chatId);
      for (const key of [...remembered.keys()]) if (isOf(key, chatId)) forget(key);
    },
  };
}

function keyOf({ chatId, agentId }: { chatId: string; agentId: string }): string {
  return `${chatId}\n${agentId}`;
}

function isOf(key: string, chatId: string): boolean {
  return key.startsWith(`${chatId}\n`);
}

function isFor({ provider, model, version }: Remembered, view: ViewFor): boolean {
  return provider === view.provider && model === view.model && version === view.version;
}

function newestOf(entry: Remembered | undefined): number {
  return entry?.blocks.at(-1)?.triggerSeq ?? 0;
}

function emptyMemory({ provider, model, version }: ViewFor, leftOut: boolean): Remembered {
  const nothing = { blocks: [], messages: [], size: 0, readFor: '', ended: undefined };
  return { provider, model, version, leftOut, ...nothing };
}

function add(entry: Remembered, block: Block): void {
  entry.blocks.push(block);
  entry.messages.push(...block.messages);
  entry.size += block.size;
}

/** Drops the oldest exchanges, never part of one (WORLD15). */
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

/** Reads newest first until `after` or the budget is reached; returns oldest first. */
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
  const chat = await reader.chat(turn.chatId);
  for (const { chatId, upto } of chat === undefined ? [] : allPartsOf(chat).toReversed()) {
    before = Math.min(before, upto + 1);
    for (let isMore = before > after; isMore;) {
      const page = await reader.endedTurns(chatId, turn.agentId, { after, before, limit: PAGE });
      for (const past of page) {
        const block = await readBlock(reader, memory, past, { view, upto });
        if (size + block.size > budget) return { blocks: blocks.toReversed(), full: true };
        blocks.push(block);
        size += block.size;
        before = past.triggerSeq;
      }
      isMore = page.length === PAGE;
    }
  }
  return { blocks: blocks.toReversed(), full: false };
}

async function readBlock(
  reader: StoreReader,
  memory: TurnMessagesMemory,
  past: TurnRecord,
  { view, upto }: { view: ViewFor; upto: number },
): Promise<Block> {
  const { trigger, own } = memory.cached(past.id) ?? (await readTurnMessages(reader, past));
  // A branch begins with part of this turn: a call in it keeps its result, or the model would make it again.
  const begun = own.filter(({ seq, role }) => seq <= upto || role === 'tool');
  return toBlock({ trigger, own: begun }, past.triggerSeq, view);
}

function toBlock({ trigger, own }: TurnMessages, triggerSeq: number, view: ViewFor): Block {
  const messages = toModelMessages(trigger, own, view);
  return { triggerSeq, messages, size: messages.reduce((sum, message) => sum + sizeOf(message), 0) };
}
