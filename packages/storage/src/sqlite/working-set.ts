import type { ApprovalRecord, ChatRecord, InvocationRecord, TurnRecord } from '@countersign/core/ports';

/** Where a world's events and audit records end. */
export interface Heads {
  lastEvent: number;
  seq: number;
  hash: string;
}

interface WorldEntry {
  rev?: number;
  heads?: Heads;
  /** Its open and queued turns. */
  working?: number;
}

export interface ChatEntry {
  record: ChatRecord;
  /** Changed by this step and not written yet. */
  isDirty: boolean;
  /** All that are not ended, once they were looked for. */
  turns: Map<string, TurnRecord> | undefined;
  /** False: there are none, so nobody has to look. */
  hasGrants?: boolean;
  hasUnknown?: boolean;
  usedAt: number;
}

/** All calls of a turn's latest answer that are not settled. */
interface OpenCalls {
  iteration: number;
  calls: Map<string, InvocationRecord>;
}

const MOST_CHATS = 1_000;
const MOST_CALLS = 5_000;
const MOST_TEXT = 16_000_000;
const MOST_APPROVALS = 1_000;

/**
 * What a store that one process owns knows of the rows its steps go back to: the world's numbers, chats used last, their unfinished
 * turns and open calls. Nobody else can write them, so they need not be read again with every step (N1). Each write goes to the
 * database first, in the step's transaction; a step that is rolled back takes all that is known here with it.
 */
export interface WorkingSet {
  world(id: string): WorldEntry;
  chats: Map<string, ChatEntry>;
  turns: ReadonlyMap<string, TurnRecord>;
  calls: ReadonlyMap<string, InvocationRecord>;
  openCalls: ReadonlyMap<string, OpenCalls>;
  approvals: Map<string, ApprovalRecord>;
  chatOf(id: string): ChatEntry | undefined;
  keepChat(record: ChatRecord): ChatEntry;
  /** `before`: how it stood, or undefined if it is new. */
  putTurn(record: TurnRecord, before: TurnRecord | undefined): void;
  /** Turns of a chat and the number of those that work are looked for again. */
  forgetTurns(chatId: string, worldId: string): void;
  beginCalls(turnId: string, iteration: number, calls: readonly InvocationRecord[]): void;
  putCall(record: InvocationRecord): void;
  forgetCalls(turnId: string): void;
  forgetWorld(id: string): void;
  /** A call has ended unknown, which hardly one does: which chat it was in is looked for anew. */
  doubtUnknown(): void;
  /** Everything. */
  clear(): void;
  /** Between steps: what was used least goes when there is too much. */
  trim(): void;
}

export function createWorkingSet(): WorkingSet {
  const worlds = new Map<string, WorldEntry>();
  const chats = new Map<string, ChatEntry>();
  const turns = new Map<string, TurnRecord>();
  const calls = new Map<string, InvocationRecord>();
  const openCalls = new Map<string, OpenCalls>();
  const approvals = new Map<string, ApprovalRecord>();
  let text = 0;
  let tick = 0;

  function world(id: string): WorldEntry {
    const known = worlds.get(id);
    if (known !== undefined) return known;
    const entry: WorldEntry = {};
    worlds.set(id, entry);
    return entry;
  }
  function chatOf(id: string): ChatEntry | undefined {
    const entry = chats.get(id);
    if (entry !== undefined) entry.usedAt = tick += 1;
    return entry;
  }
  function dropCall(record: InvocationRecord | undefined): void {
    if (record === undefined) return;
    text -= record.arguments.length;
    calls.delete(record.id);
  }
  function forgetCalls(turnId: string): void {
    for (const call of openCalls.get(turnId)?.calls.values() ?? []) dropCall(call);
    openCalls.delete(turnId);
  }
  function dropTurns(entry: ChatEntry): void {
    for (const id of entry.turns?.keys() ?? []) {
      turns.delete(id);
      forgetCalls(id);
    }
    entry.turns = undefined;
  }
  function putCall(record: InvocationRecord): void {
    const open = openCalls.get(record.turnId);
    if (open?.iteration !== record.iteration) return;
    dropCall(open.calls.get(record.id));
    if (record.settledAt !== null) {
      open.calls.delete(record.id);
      return;
    }
    open.calls.set(record.id, record);
    calls.set(record.id, record);
    text += record.arguments.length;
  }

  return {
    world,
    chats,
    turns,
    calls,
    openCalls,
    approvals,
    chatOf,
    keepChat(record) {
      const entry: ChatEntry = { record, isDirty: false, turns: undefined, usedAt: (tick += 1) };
      chats.set(record.id, entry);
      return entry;
    },
    putTurn(record, before) {
      const of = worlds.get(record.worldId);
      if (of?.working !== undefined) of.working += works(record) - (before === undefined ? 0 : works(before));
      const entry = chats.get(record.chatId);
      if (entry?.turns === undefined) return;
      if (record.state !== 'ended') {
        entry.turns.set(record.id, record);
        turns.set(record.id, record);
        return;
      }
      entry.turns.delete(record.id);
      turns.delete(record.id);
      forgetCalls(record.id);
    },
    forgetTurns(chatId, worldId) {
      const entry = chats.get(chatId);
      if (entry !== undefined) dropTurns(entry);
      delete world(worldId).working;
    },
    beginCalls(turnId, iteration, found) {
      forgetCalls(turnId);
      if (!turns.has(turnId)) return;
      openCalls.set(turnId, { iteration, calls: new Map() });
      for (const call of found) putCall(call);
    },
    putCall,
    forgetCalls,
    forgetWorld(id) {
      worlds.delete(id);
    },
    doubtUnknown() {
      for (const entry of chats.values()) delete entry.hasUnknown;
    },
    clear() {
      for (const map of [worlds, chats, turns, calls, openCalls, approvals]) map.clear();
      text = 0;
    },
    trim() {
      if (approvals.size > MOST_APPROVALS) approvals.clear();
      if (calls.size > MOST_CALLS || text > MOST_TEXT) for (const turnId of [...openCalls.keys()]) forgetCalls(turnId);
      if (chats.size <= MOST_CHATS) return;
      const oldest = [...chats.values()].toSorted((a, b) => a.usedAt - b.usedAt).slice(0, MOST_CHATS / 2);
      for (const entry of oldest) {
        dropTurns(entry);
        chats.delete(entry.record.id);
      }
    },
  };
}

function works({ state }: TurnRecord): 0 | 1 {
  return state === 'open' || state === 'queued' ? 1 : 0;
}
