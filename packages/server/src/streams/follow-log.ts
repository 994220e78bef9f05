import { maskLongEvents, readEventPage, toWorldEvent, type Engine } from '@countersign/core';
import type { StoredEvent } from '@countersign/core/ports';
import { encodeFrame, type EncodedFrame, toBytes } from './encode-frame.js';
import { feedsOf } from './feeds.js';
import type { Outlet } from './open-outlet.js';
import { readOwnCalls, withRealArguments, type OwnCalls } from './own-calls.js';

/** Page size for reading the log. Starts small and stays small for large events, because each may be as large as a message. */
const FIRST_PAGE = 4;
const LARGEST_PAGE = 64;
/** Chunks buffered while a reader catches up. They are not in the log and may be dropped. */
const MAX_BUFFERED_CHUNKS = 64;

export interface Following {
  engine: Engine;
  worldId: string;
  chatId: string | undefined;
  /** Only changes to approvals and grants. */
  only?: 'approvals' | undefined;
  untilSettled: boolean;
  /** If false, the reader can't ask a person, so it gets no approvals (CALL13). */
  approvals: boolean;
  /** Tools that the reader itself runs. It gets calls to them unmasked. */
  ownTools: ReadonlySet<string>;
  position: number;
}

export interface Follower {
  /** `held`: events since the position was looked up. If they are complete, the log doesn't have to be read. */
  start(held?: readonly EncodedFrame[]): void;
  stop(): void;
}

/**
 * Sends a reader the log after a position, then live events. After a gap in the numbers, reads from the log again. A slow reader reads the log
 * at its own pace.
 */
export function followLog(following: Following, outlet: Outlet): Follower {
  const { engine, worldId, chatId, only, untilSettled, approvals, ownTools } = following;
  const { runtime } = engine;
  /** Everything up to this position has been written. */
  let { position } = following;
  let newest = position;
  let state: 'behind' | 'live' | 'over' = 'behind';
  let bufferedChunks: EncodedFrame[] = [];

  const isWanted = (frame: EncodedFrame): boolean =>
    (chatId === undefined || frame.chatId === chatId || frame.removes?.id === chatId) &&
    (approvals || !frame.isApproval) &&
    (only === undefined || frame.changesApprovals);
  const isEnd = ({ removes }: EncodedFrame): boolean =>
    removes !== undefined && (removes.entity === 'world' ? removes.id === worldId : removes.id === chatId);

  /** False if the reader's buffer is full. */
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
    // Live events are masked. A call to the reader's own tool is read from the log, unmasked.
    const isOwn = frame.starts !== undefined && ownTools.has(frame.starts);
    // On a gap or a full buffer, read from the log once there is room.
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
    readLog().catch((error: unknown) => {
      runtime.report(error, 'An event stream failed');
      // End the stream, so that the reader reconnects with its last id. If it stayed open, it would wait forever.
      outlet.end();
    });
  }

  async function readLog(): Promise<void> {
    const ended = new Set<string>();
    let limit = FIRST_PAGE;
    for (;;) {
      await outlet.room();
      if (state === 'over') return;
      const before = { position, newest };
      const page = await readPage(following, position, limit);
      await maskLongEvents(page?.events ?? []);
      // Check again: the stream may have ended while the page was read.
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
    const kept = bufferedChunks;
    bufferedChunks = [];
    // A chunk after the end of its message would reopen that message.
    for (const frame of kept) if (frame.part === undefined || !ended.has(frame.part)) write(frame);
    if (untilSettled && isSettled) outlet.end();
  }

  function settledAfter(frames: readonly EncodedFrame[], wasSettled: boolean): boolean {
    const last = frames.findLast((frame) => frame.activity !== undefined && frame.chatId === chatId);
    return last === undefined ? wasSettled : last.activity === 'settled';
  }

  const isOver = (): boolean => state === 'over';

  /** `isLatest` is false for a status that has changed since: an earlier wait must not end the stream. */
  function heard(frame: EncodedFrame, isLatest = true): void {
    if (frame.isStored) newest = Math.max(newest, frame.id);
    if (state === 'live') hearLive(frame, isLatest);
    else if (state === 'behind' && !frame.isStored && isWanted(frame))
      bufferedChunks = [...bufferedChunks, frame].slice(-MAX_BUFFERED_CHUNKS);
  }

  /** False if `held` doesn't show whether the chat has settled, which `untilSettled` depends on. */
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
          const message = 'The server is shutting down. Nothing is lost. Reconnect when it is back.';
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
  lastEventId: number;
  isSettled: boolean;
  ownCalls: OwnCalls;
}

/** Undefined if the world or chat was deleted. */
async function readPage(
  { engine, worldId, chatId, ownTools }: Following,
  after: number,
  limit: number,
): Promise<LogPage | undefined> {
  return await engine.runtime.store.read(async (reader) => {
    const page = await readEventPage(reader, worldId, { chatId, after, limit });
    if (page === undefined) return undefined;
    const { events, lastEventId, chat } = page;
    const ownCalls = await readOwnCalls(reader, events, ownTools);
    return { events, lastEventId, isSettled: chat !== undefined && chat.status !== 'working', ownCalls };
  });
}

/** An event that can't be encoded must not block all later ones. */
function encodeStored({ runtime }: Engine, event: StoredEvent, ownCalls: OwnCalls): EncodedFrame[] {
  try {
    return [encodeFrame(withRealArguments(toWorldEvent(event), ownCalls))];
  } catch (error) {
    runtime.report(error, `${event.event} ${event.id} could not be encoded`);
    return [];
  }
}
