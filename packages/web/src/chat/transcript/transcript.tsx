import {
  get,
  notYetShown,
  rowAt,
  type Rows,
  sliceRows,
  type Speaker,
  type Table,
  type TranscriptMessage,
} from '@countersign/client';
import { elementScroll, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useMe } from '../../data/me.js';
import { useChat, useChatStore, useOutbox, useOutgoing } from '../../data/connection.js';
import { Button } from '../../ui/button.js';
import { attempt, say } from '../../notices/toast.js';
import { visibleText } from '../../text/visible-parts.js';
import { LiveRow } from './live-row.js';
import { Markdown } from '../text/markdown.js';
import { MessageRow, NoticeLine } from './message-row.js';
import { OutgoingRow } from './outgoing-row.js';
import { speakerName } from './spoken.js';
import { useHold } from './use-hold.js';
import { useScrollGestures } from './use-scroll-gestures.js';
import { chatWords } from '../../words/chat.js';

/** Within this distance from an end, in pixels, the view counts as being at that end. */
const NEAR_TOP = 1000;
const NEAR_END = 80;

/** The chat as a virtual list: only visible rows are in the page. Older pages load when scrolling up. */
export function Transcript({ wanted }: { wanted?: string | undefined }): ReactElement {
  const store = useChatStore();
  const rows = useChat((state) => state.transcript);
  const messages = useChat((state) => state.messages);
  const streams = useChat((state) => state.streams);
  const agents = useChat((state) => state.agents);
  const me = useMe();
  const notices = useChat((state) => state.notices);
  const older = useChat((state) => state.older.kind);
  const box = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<string>();
  const live = streams.filter(({ messageId }) => get(messages, messageId) === undefined);
  const chatId = useChat((state) => state.chatId);
  const pending = usePending(chatId);
  const firstLatest = firstLatestNotice(rows, messages);
  const firstLive = rows.length + pending.length;
  const count = firstLive + live.length;

  const keyAt = useCallback(
    (index: number): string =>
      rowAt(rows, index) ??
      pending[index - rows.length]?.clientMessageId ??
      live[index - firstLive]?.messageId ??
      `${index}`,
    [rows, pending, live, firstLive],
  );
  // If the reader is at the end, the view stays there while more content arrives. A reader who scrolled up is left alone.
  const follows = useRef(true);
  const shown = useRef(false);
  const inner = useRef<HTMLDivElement>(null);
  /** The last known scroll position. */
  const lastTop = useRef(0);
  /** Whether sizes changed since the last scroll event, so that the browser may have moved the view. */
  const resized = useRef(false);
  const { isScrollingUp, gestures } = useScrollGestures();
  const toEnd = (element: HTMLElement): void => {
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  };
  const hold = useHold();
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => 96,
    getItemKey: keyAt,
    overscan: 6,
    anchorTo: 'end',
    scrollEndThreshold: NEAR_END,
    // Room for the connection banner, which must not cover the first message.
    paddingStart: 60,
    paddingEnd: 24,
    // The list corrects relative to the last scroll event it received. On a busy machine that is outdated, and the
    // correction would move a reader away from the end.
    scrollToFn: (offset, options, instance) => {
      const element = instance.scrollElement;
      if (element === null || hold.isHeld()) return;
      if (follows.current) toEnd(element);
      else {
        const before = element.scrollTop;
        elementScroll(offset, options, instance);
        // Add only the correction: the reader's own scrolling arrives in a later scroll event.
        lastTop.current += element.scrollTop - before;
      }
    },
  });

  const size = virtual.getTotalSize();
  useEffect(() => {
    const element = box.current;
    if (inner.current === null || element === null) return undefined;
    // Runs after layout and before paint, so that nobody sees the text out of place.
    const observer = new ResizeObserver(() => {
      resized.current = true;
      if (hold.isHeld()) {
        hold.keep(element);
        lastTop.current = element.scrollTop;
        follows.current = !hold.isHeld();
      } else if (follows.current) toEnd(element);
    });
    observer.observe(inner.current);
    // The element shrinks when a card appears or the composer grows.
    observer.observe(element);
    return () => observer.disconnect();
  }, [hold]);
  useLayoutEffect(() => {
    resized.current = true;
    if (follows.current && !hold.isHeld() && box.current !== null) toEnd(box.current);
  }, [size, hold]);
  // A person who sends a message wants to see it.
  const sent = useRef(pending.length);
  useLayoutEffect(() => {
    if (pending.length > sent.current) {
      hold.release();
      follows.current = true;
      virtual.scrollToEnd();
    }
    sent.current = pending.length;
  }, [pending.length, virtual, hold]);
  useLayoutEffect(() => {
    if (count === 0 || shown.current) return;
    shown.current = true;
    virtual.scrollToEnd();
  }, [count, virtual]);

  const loadOlder = useCallback((): void => {
    void attempt('load-older', store.loadOlder());
  }, [store]);
  const onScroll = ({ timeStamp }: { timeStamp: number }): void => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, scrollHeight: height, clientHeight } = element;
    if (hold.isHeld() && Math.abs(top - lastTop.current) <= 1) return;
    hold.release();
    // Use the end of the list: the page may not have grown yet by the height of prepended rows.
    const below = Math.max(height, virtual.getTotalSize()) - top - clientHeight;
    const hasMovedUp = top < lastTop.current - 1;
    if (below <= 1) follows.current = true;
    // Shrinking text moves the view up too; only a gesture indicates that a person scrolled.
    else if (hasMovedUp && (!resized.current || isScrollingUp(timeStamp))) follows.current = false;
    else if (below < NEAR_END && top > lastTop.current) follows.current = true;
    lastTop.current = top;
    resized.current = false;
    if ((older === 'more' || older === 'failed') && top < NEAR_TOP) loadOlder();
  };
  // Also runs without scrolling, because a page may be shorter than the view. Reads the element, which already has its new position.
  useEffect(() => {
    if (count > 0 && older === 'more' && box.current !== null && box.current.scrollTop < NEAR_TOP) loadOlder();
  }, [count, size, older, loadOlder]);

  const [target, setTarget] = useState<string>();
  // The message may be above the loaded part.
  const show = useCallback(
    (messageId: string): void => {
      const reached = store
        .reach(messageId)
        .then((found) => (found === undefined ? say(chatWords.noSuchMessage) : setTarget(found)));
      void attempt('show-message', reached);
    },
    [store],
  );
  useEffect(() => {
    if (wanted !== undefined) show(wanted);
  }, [wanted, show]);
  useLayoutEffect(() => {
    const index = target === undefined ? -1 : indexOf(rows, target);
    if (index < 0) return;
    hold.release();
    follows.current = false;
    virtual.scrollToIndex(index, { align: 'center' });
    setMarked(target);
    setTarget(undefined);
  }, [target, rows, virtual, hold]);

  const atEnd = virtual.isAtEnd(NEAR_END * 2);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        aria-label={chatWords.transcript}
        aria-live="off"
        tabIndex={0}
        {...gestures}
        onScroll={onScroll}
        onClickCapture={(event) => {
          const button = event.target instanceof Element ? event.target.closest('[aria-expanded]') : null;
          if (button === null) return;
          follows.current = false;
          hold.take(button);
        }}
        className="scroll-quiet h-full overflow-y-auto overscroll-contain px-3 [overflow-anchor:none] sm:px-6"
      >
        <div ref={inner} className="relative mx-auto w-full max-w-[56rem]" style={{ height: size }}>
          {virtual.getVirtualItems().map((item) => {
            const id = rowAt(rows, item.index);
            const message = id === undefined ? undefined : get(messages, id);
            const outgoing = id === undefined ? pending[item.index - rows.length] : undefined;
            const stream = id === undefined ? live[item.index - firstLive] : undefined;
            const above = item.index === 0 ? undefined : rowAt(rows, item.index - 1);
            const answered = message?.replyToMessageId;
            const previous = above === undefined ? undefined : get(messages, above);
            // Shown only if it isn't obvious: not directly below the answered message, nor within one agent's turn.
            const isPlain = answered === above || (message !== undefined && isSame(previous?.speaker, message.speaker));
            const target = answered === undefined || isPlain ? undefined : get(messages, answered);
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={virtual.measureElement}
                className="absolute inset-x-0 top-0 has-[[role=menu]]:z-10"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {message === undefined ? null : (
                  <MessageRow
                    message={message}
                    agents={agents}
                    marked={marked === message.messageId}
                    isLatest={item.index >= firstLatest && pending.length === 0}
                    notices={notices.filter(({ afterMessageId }) => afterMessageId === message.messageId)}
                    onShow={show}
                    answers={
                      target === undefined || target.content === ''
                        ? undefined
                        : {
                            id: target.messageId,
                            who: speakerName(target.speaker, agents, me),
                            words: visibleText(target.content.slice(0, 120)),
                          }
                    }
                  />
                )}
                {outgoing === undefined ? null : (
                  <OutgoingRow
                    message={outgoing}
                    draftKey={chatId}
                    text={<Markdown text={outgoing.content} breaks />}
                  />
                )}
                {stream === undefined ? null : <LiveRow stream={stream} agents={agents} />}
              </div>
            );
          })}
        </div>
        {notices
          .filter(({ afterMessageId }) => afterMessageId === undefined)
          .map((notice) => (
            <NoticeLine key={notice.eventId} notice={notice} />
          ))}
      </div>
      {older === 'loading' ? (
        <p
          role="status"
          className="absolute inset-x-0 top-1 mx-auto w-fit rounded-full bg-raised px-3 py-0.5 text-xs text-ink-3 shadow-card"
        >
          {chatWords.loadingOlder}
        </p>
      ) : null}
      {older === 'failed' ? (
        <Button
          size="small"
          className="absolute top-1 left-1/2 -translate-x-1/2 rounded-full shadow-card"
          onClick={loadOlder}
        >
          {chatWords.loadOlder}
        </Button>
      ) : null}
      {atEnd || count === 0 ? null : (
        <Button
          size="small"
          icon="down"
          className="absolute right-4 bottom-3 rounded-full shadow-card"
          onClick={() => {
            hold.release();
            follows.current = true;
            virtual.scrollToEnd();
          }}
        >
          {chatWords.toEnd}
        </Button>
      )}
    </div>
  );
}

/** The index of the first trailing notice: several agents may have failed. */
function firstLatestNotice(rows: Rows<string>, messages: Table<TranscriptMessage>): number {
  let index = rows.length;
  while (index > 0 && get(messages, rowAt(rows, index - 1) ?? '')?.speaker.kind === 'system') index -= 1;
  return index;
}

/** How many of the last rows to search for a message that was just sent. */
const RECENT = 200;

/** Messages in this chat that aren't in the transcript yet. */
function usePending(chatId: string): ReturnType<typeof notYetShown> {
  const outbox = useOutbox();
  const rows = useChat((state) => state.transcript);
  const messages = useChat((state) => state.messages);
  const outgoing = useOutgoing();
  const pending = useMemo(() => {
    const mine = outgoing.filter((message) => message.chatId === chatId);
    if (mine.length === 0) return NONE;
    const lines = sliceRows(rows, rows.length - RECENT).flatMap((id) => get(messages, id) ?? []);
    return notYetShown(mine, lines);
  }, [outgoing, chatId, rows, messages]);
  useEffect(() => {
    const shown = outgoing.filter(
      (message) => message.chatId === chatId && message.progress.kind === 'sent' && !pending.includes(message),
    );
    outbox.remove(shown.map(({ clientMessageId }) => clientMessageId));
  }, [outbox, outgoing, chatId, pending]);
  return pending;
}

const NONE: ReturnType<typeof notYetShown> = [];

function indexOf(rows: Rows<string>, messageId: string): number {
  for (let index = rows.length - 1; index >= 0; index -= 1) if (rowAt(rows, index) === messageId) return index;
  return -1;
}

function isSame(a: Speaker | undefined, b: Speaker): boolean {
  return a?.kind === 'agent' && b.kind === 'agent' && a.agentId === b.agentId;
}
