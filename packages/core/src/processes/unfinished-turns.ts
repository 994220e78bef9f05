import type { StoreReader, TurnRecord } from '../ports/index.js';
import { recover, SILENT_MS } from '../turns/take-over.js';
import type { Membership } from './membership.js';
import type { ChatOrCall, Runtime } from '../step/runtime.js';

/** What a process does at startup with the turns of an earlier one. `leave` is for a process that ends soon (TERM4). */
export type Unfinished = 'resume' | 'leave';

export interface UnfinishedTurns {
  start(unfinished: Unfinished): Promise<void>;
  /** Resumes the unfinished turns of a chat before someone acts in it. */
  resume(of: ChatOrCall): Promise<void>;
  /** Resumes the next suspect after one has finished. Only if one process owns the store. */
  takeNext(): Promise<void>;
  /** Whether this process ends soon and runs only the chats that someone acts in. */
  endsSoon(): boolean;
  /** Chats with a turn that could continue but isn't run by any live process. */
  stalledChats(): Promise<string[]>;
}

export interface UnfinishedTurnsOptions {
  runtime: () => Runtime;
  /** Absent if one process owns the store. */
  membership: Membership | undefined;
  watchDeadlines: () => Promise<void>;
}

export function createUnfinishedTurns({
  runtime,
  membership,
  watchDeadlines,
}: UnfinishedTurnsOptions): UnfinishedTurns {
  let left: Unfinished = 'resume';
  let isShort = false;
  let resuming = Promise.resolve();
  const resumed = new Set<string>();

  async function resumeAll(): Promise<void> {
    left = 'resume';
    await watchDeadlines();
    if (membership === undefined) await recover(runtime());
    else await membership.takeTurns();
  }

  async function resumeTurnsOf(of: ChatOrCall): Promise<void> {
    const { store } = runtime();
    const chatId = 'chatId' in of ? of.chatId : await store.read((reader) => chatOfCall(reader, of.callId));
    if (chatId === undefined) return;
    resumed.add(chatId);
    if (membership === undefined) await recover(runtime(), chatId);
    // A wake-up goes to any process that takes turns, and this may be the only one.
    else if (left === 'leave') await resumeAll();
  }

  return {
    async start(unfinished) {
      left = unfinished;
      isShort = unfinished === 'leave';
      await membership?.start();
      if (unfinished === 'resume') await resumeAll();
    },
    async resume(of) {
      if (left === 'resume') return;
      // Serialized: two concurrent claims on one turn would abort each other's run.
      resuming = resuming.catch(() => undefined).then(() => resumeTurnsOf(of));
      await resuming;
    },
    async takeNext() {
      // A process that ends soon runs only the chats that someone acts in (TERM4).
      for (const chatId of isShort ? resumed : [undefined]) await recover(runtime(), chatId);
    },
    endsSoon: () => isShort,
    async stalledChats() {
      const { store, process } = runtime();
      const { owner } = process;
      const found = await store.shared?.turnsToCheck(owner, SILENT_MS);
      const turns = await store.read((reader) => reader.unfinishedTurns());
      const isStalled = (turn: TurnRecord): boolean =>
        turn.state === 'open' && (found === undefined ? turn.owner !== owner : found.orphaned.includes(turn.id));
      return [...new Set(turns.filter(isStalled).map(({ chatId }) => chatId))];
    },
  };
}

async function chatOfCall(reader: StoreReader, id: string): Promise<string | undefined> {
  return (await reader.approval(id))?.chatId ?? (await reader.invocation(id))?.chatId;
}
