import type { ChangeEntry, ChangeFile } from '@countersign/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useEffect } from 'react';
import { useEndShown } from '../approvals/card/use-end-shown.js';
import { Visible } from '../text/visible.js';
import { visibleText } from '../text/visible-parts.js';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import { reviewWords } from '../words/review.js';
import type { Review } from './use-review.js';
import type { Selection } from './use-selection.js';

const LINE_PX = 28;

/** The files of a change. Says when its end has been shown. */
export function FileList({
  review,
  viewed,
  selection,
}: {
  review: Review;
  viewed: ReadonlySet<string>;
  selection: Selection | undefined;
}): ReactElement {
  const { entries, at, open, noteListEnd } = review;
  const { area, marker, wasShown } = useEndShown(`${entries.length}`);
  useEffect(() => {
    if (wasShown) noteListEnd();
  }, [wasShown, noteListEnd]);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => area.current,
    estimateSize: () => LINE_PX,
    overscan: 10,
    scrollPaddingStart: 40,
    scrollPaddingEnd: 40,
  });
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  return (
    <div
      ref={area}
      role="group"
      aria-label={reviewWords.files}
      data-reading
      tabIndex={0}
      className="scroll-quiet min-h-0 flex-1 overflow-x-hidden overflow-y-auto py-1 focus-visible:-outline-offset-2"
    >
      <div className="relative" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const entry = entries[index];
          return entry === undefined ? null : (
            <div
              key={index}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0 flex items-center px-1"
              style={{ transform: `translateY(${start}px)` }}
            >
              {selection === undefined ? null : <Tick entry={entry} selection={selection} isCurrent={index === at} />}
              <Row
                entry={entry}
                isCurrent={index === at}
                isViewed={viewed.has(entry.path)}
                onOpen={() => open(index)}
              />
            </div>
          );
        })}
      </div>
      <div ref={marker} className="h-px" />
    </div>
  );
}

/** The box beside a file. It keeps its space where nothing can be selected, so that all names are in line. */
function Tick({
  entry,
  selection,
  isCurrent,
}: {
  entry: ChangeEntry;
  selection: Selection;
  isCurrent: boolean;
}): ReactElement {
  const state = selection.stateOf(entry);
  return (
    <input
      type="checkbox"
      aria-label={reviewWords.select(visibleText(entry.path, true))}
      tabIndex={isCurrent ? 0 : -1}
      checked={state === 'all'}
      ref={(box) => {
        if (box !== null) box.indeterminate = state === 'some';
      }}
      onMouseDown={(event) => event.preventDefault()}
      onChange={() => selection.toggle(entry)}
      className={cx('mx-1 shrink-0 accent-[var(--blue)] pointer-coarse:size-6', state === undefined && 'invisible')}
    />
  );
}

const SIGN_LOOKS: Readonly<Record<ChangeFile['status'], string>> = {
  removed: 'text-red',
  changed: 'text-ink-2',
  moved: 'text-ink-2',
  added: 'text-green',
  'left-out': 'text-amber',
};

function Row({
  entry,
  isCurrent,
  isViewed,
  onOpen,
}: {
  entry: ChangeEntry;
  isCurrent: boolean;
  isViewed: boolean;
  onOpen: () => void;
}): ReactElement {
  const isRisky = entry.kind === 'file' && entry.runsLater;
  return (
    <button
      type="button"
      tabIndex={isCurrent ? 0 : -1}
      aria-current={isCurrent ? 'true' : undefined}
      // The card keeps the focus, so that its keys still work.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onOpen}
      className={cx(
        'flex min-h-7 min-w-0 flex-1 items-baseline gap-1.5 rounded-md px-2 py-0.5 text-left text-[0.8125rem] pointer-coarse:min-h-10 pointer-coarse:py-2',
        isCurrent ? 'bg-blue-soft' : 'hover:bg-sunken',
      )}
    >
      {entry.kind === 'folder' ? (
        <Icon name="folder" className="size-3.5 shrink-0 translate-y-0.5 text-ink-3" />
      ) : (
        <>
          <span aria-hidden className={cx('w-3.5 shrink-0 font-mono font-semibold', SIGN_LOOKS[entry.status])}>
            {entry.sign}
          </span>
          <span className="sr-only">{reviewWords.status[entry.status]}: </span>
        </>
      )}
      <span className={cx('min-w-0 flex-1 font-mono [overflow-wrap:anywhere]', isRisky && 'font-medium text-red')}>
        <Visible text={entry.path} strict />
        {isRisky ? ' ' : null}
        {isRisky ? (
          <span className="font-sans text-xs whitespace-nowrap">
            <Icon name="alert" className="mr-1 inline size-3 -translate-y-px" />
            {reviewWords.runsLater}
          </span>
        ) : null}
      </span>
      <Size entry={entry} />
      {isViewed ? (
        <>
          <Icon name="check" className="size-3.5 shrink-0 translate-y-0.5 text-ink-2" />
          <span className="sr-only">{reviewWords.isViewed}</span>
        </>
      ) : null}
    </button>
  );
}

function Size({ entry }: { entry: ChangeEntry }): ReactElement | null {
  if (entry.kind === 'folder')
    return (
      <span className="max-w-[50%] shrink-0 text-xs text-ink-3">
        {entry.files.length === 0 ? reviewWords.status['left-out'] : entry.about}
      </span>
    );
  const { lines, bytes, status } = entry;
  if (lines !== undefined)
    return (
      <span className="shrink-0 text-xs">
        {lines.added === 0 ? null : <span className="text-green">+{lines.added}</span>}{' '}
        {lines.removed === 0 ? null : <span className="text-red">−{lines.removed}</span>}
        <span className="sr-only"> {reviewWords.lines}</span>
      </span>
    );
  if (status === 'left-out')
    return <span className="shrink-0 text-xs text-ink-3">{reviewWords.status['left-out']}</span>;
  return bytes === undefined ? null : <span className="shrink-0 text-xs text-ink-3">{reviewWords.bytes(bytes)}</span>;
}
