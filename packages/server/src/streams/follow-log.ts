import { maskLongEvents, toWorldEvent, type Engine } from '@countersign/core';
import type { StoredEvent } from '@countersign/core/ports';
import { encodeFrame, type EncodedFrame, toBytes } from './encode-frame.js';
import { feedsOf } from './feeds.js';
import type { Outlet } from './open-outlet.js';
import { readOwnCalls, withRealArguments, type OwnCalls } from './own-calls.js';

/** How many events are read from the log at once: few at first and when they are large, since one may be as large as a message gets. */
const FIRST_PAGE = 4;
const LARGEST_PAGE = 64;
/** Chunks kept while a reader catches up; they are in no log, and may be lost. */
const MOST_EARLY = 64;

export interface Following {
  engine: Engine;
  worldId: string;
  chatId: string | undefined;
  untilSettled: boolean;
  /** False: the reader can't put questions to a person, and gets none (A13). */
  approvals: boolean;
  /** Tools that run in the reader: their calls are told with what they really say. */
  ownTools: ReadonlySet<string>;
  position: number;
}

export interface Follower {
  /** `held`: what was heard since the position was looked up. If it is all there is, the log need not be read. */
  start(held?: readonly EncodedFrame[]): void;
  stop(): void;
}

/**
 * Tells one reader what is in the log after a position, and then what happens. Behind, it reads the log at the reader's own pace; up
 * with it, it hands on what it hears. What it hears is never trusted to be all: a number that does not follow the last one sends it
 * back to the log.
 */
export function followLog(following: Following, outlet: Outlet): Follower {
  const { engine, worldId, chatId, untilSettled, approvals, ownTools } = following;
  const { runtime } = engine;
  /** Everything for this reader up to here was written. */
  let { position } = following;
  let newest = position;
  let state: 'behind' | 'live' | 'over' = 'behind';
  let early: EncodedFrame[] = [];

  const isWanted = (frame: EncodedFrame): boolean =>
    (chatId === undefined || frame.chatId === chatId || frame.removes?.id === chatId) &&
    (approvals || !frame.isApproval);
  const isEnd = ({ removes }: EncodedFrame): boolean =>
    removes !== undefined && (removes.entity === 'world' ? removes.id === worldId : removes.id === chatId);

  /** False: the reader has no room for it now. */
  function write(frame: EncodedFrame): boolean {
    return (
      !isWanted(frame) || outlet.write(frame.isStored || frame.id === position ? frame.bytes : frame.under(position))
    );
  }

  function hearLive(frame: EncodedFrame, isLatest = true): void {
    if (!frame.isStored) {
      write(frame);
      return;
    }
    if (frame.id <= position) return;
    // What is heard is masked for everybody; a call of the reader's own is read as it is.
    const isOwn = frame.starts !== undefined && ownTools.has(frame.starts);
    // Missed something, or full: the log has it, when there is room.
    if (frame.id > position + 1 || isOwn || !write(frame)) {
      catchUp();
      return;
    }
    position = frame.id;
    const isSettled = untilSettled && isLatest && frame.activity === 'settled' && frame.chatId === chatId;
    if (isSettled || isEnd(frame)) outlet.end();
  }

  function catchUp(): void {
    state = 'behind';
    readOn().catch((error: unknown) => {
      runtime.report(error, 'a stream could not be read on');
      // Ended, the reader comes back with the number of what it has; left open, it would wait for what never comes.
      outlet.end();
    });
  }

  async function readOn(): Promise<void> {
    const ended = new Set<string>();
    let limit = FIRST_PAGE;
    for (;;) {
      await outlet.room();
      if (state === 'over') return;
      const before = { position, newest };
      const page = await readPage(following, position, limit);
      await maskLongEvents(page?.events ?? []);
      // Asked again: it may have ended while the page was read.
      if (isOver()) return;
      if (page === undefined) {
        outlet.end();
        return;
      }
      const frames = page.events.flatMap((event) => encodeStored(engine, event, page.ownCalls));
      const refused = frames.findIndex((frame) => !write(frame));
      const written = refused < 0 ? frames : frames.slice(0, refused);
      for (const { ends } of written) if (ends !== undefined) ended.add(ends);
      if (refused >= 0) {
        position = written.at(-1)?.id ?? position;
        limit = Math.max(1, refused);
        continue;
      }
      const isWhole = page.events.length < limit;
      limit = Math.min(limit * 2, LARGEST_PAGE);
      position = Math.max(position, page.events.at(-1)?.id ?? 0, isWhole ? page.lastEventId : 0);
      if (isWhole && newest > position && before.newest === newest && before.position === position) position = newest;
      if (!isWhole || newest > position) continue;
      goLive(ended, settledAfter(frames, page.isSettled));
      return;
    }
  }

  function goLive(ended: ReadonlySet<string>, isSettled: boolean): void {
    state = 'live';
    const kept = early;
    early = [];
    // A chunk after the message it was a part of would open that message again.
    for (const frame of kept) if (frame.part === undefined || !ended.has(frame.part)) write(frame);
    if (untilSettled && isSettled) outlet.end();
  }

  function settledAfter(frames: readonly EncodedFrame[], wasSettled: boolean): boolean {
    const last = frames.findLast((frame) => frame.activity !== undefined && frame.chatId === chatId);
    return last === undefined ? wasSettled : last.activity === 'settled';
  }

  const isOver = (): boolean => state === 'over';

  /** `isLatest` is false for what a chat has gone on from since: that it waited then is no reason to end. */
  function heard(frame: EncodedFrame, isLatest = true): void {
    if (frame.isStored) newest = Math.max(newest, frame.id);
    if (state === 'live') hearLive(frame, isLatest);
    else if (state === 'behind' && !frame.isStored && isWanted(frame)) early = [...early, frame].slice(-MOST_EARLY);
  }

  /** False: they don't say whether the chat has anything to do, which `untilSettled` asks for. */
  function goLiveWith(held: readonly EncodedFrame[]): boolean {
    const latest = held.findLast((frame) => frame.activity !== undefined && frame.chatId === chatId);
    if (untilSettled && latest === undefined) return false;
    state = 'live';
    for (const frame of held) heard(frame, frame === latest);
    return true;
  }

  let stopListening = (): void => undefined;
  return {
    start(held = []) {
      stopListening = feedsOf(engine).listen(worldId, {
        heard: (frame) => heard(frame),
        tick(lastEventId) {
          outlet.beat();
          if (state === 'live' && lastEventId > position) catchUp();
        },
        closing() {
          const message = 'The server is shutting down. Nothing is lost: reconnect when it is back.';
          const data = JSON.stringify({ type: 'notice', message });
          outlet.write(toBytes({ id: String(position), event: 'system', data }));
          outlet.end();
        },
      });
      if (held.length === 0 || !goLiveWith(held)) catchUp();
    },
    stop() {
      state = 'over';
      stopListening();
    },
  };
}

interface LogPage {
  events: readonly StoredEvent[];
  /** If the page is not full, everything up to here is in it. */
  lastEventId: number;
  isSettled: boolean;
  ownCalls: OwnCalls;
}

/** Undefined: the world or the chat is gone. */
async function readPage(
  { engine, worldId, chatId, ownTools }: Following,
  after: number,
  limit: number,
): Promise<LogPage | undefined> {
  return await engine.runtime.store.read(async (reader) => {
    // The events last: what the other two say is then told by events that are in the page.
    const chat = chatId === undefined ? undefined : await reader.chat(chatId);
    const isThere = chatId === undefined ? (await reader.worldRev(worldId)) !== undefined : chat?.worldId === worldId;
    if (!isThere) return undefined;
    const lastEventId = await reader.lastEventId(worldId);
    const events = await reader.events(worldId, {
      after,
      limit,
      ...(chatId === undefined ? {} : { chatId }),
    });
    const ownCalls = await readOwnCalls(reader, events, ownTools);
    return { events, lastEventId, isSettled: chat !== undefined && chat.status !== 'working', ownCalls };
  });
}

/** One event that can't be shown must not keep a reader from all that came after it. */
function encodeStored({ runtime }: Engine, event: StoredEvent, ownCalls: OwnCalls): EncodedFrame[] {
  try {
    return [encodeFrame(withRealArguments(toWorldEvent(event), ownCalls))];
  } catch (error) {
    runtime.report(error, `${event.event} ${event.id} could not be shown`);
    return [];
  }
}
