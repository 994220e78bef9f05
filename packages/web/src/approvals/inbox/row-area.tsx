import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactElement, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { approvalWords } from '../../words/approvals.js';
import { ListRow, type RowProps } from './inbox-row.js';
import { idsOf, keyOf, type Row } from './list-rows.js';
import type { Rows } from './use-rows.js';

const ROW_PX = 76;
const GROUP_PX = 56;
/** So close to the end, the next page is loaded. */
const NEAR_PX = 400;

/** The rows, which arrow keys go through. Those off the screen aren't in the page. */
export function RowArea({
  list: { rows, isThere, itemOf, isOpen, toggle, hold, release },
  mine,
  shownId,
  chosen,
  onChoose,
  onPick,
  onMore,
  empty,
}: {
  list: Rows;
  /** The calls that wait for this person. Only they can be selected. */
  mine: ReadonlySet<string>;
  shownId: string | undefined;
  chosen: ReadonlySet<string>;
  onChoose: (ids: readonly string[], isChosen: boolean) => void;
  onPick: (id: string) => void;
  /** Loads more calls. Absent if all are loaded. */
  onMore: (() => void) | undefined;
  /** Shown if there are no rows. */
  empty: ReactNode;
}): ReactElement {
  const area = useRef<HTMLDivElement>(null);
  const isPointed = useRef(false);
  const [atKey, setAtKey] = useState<string>();
  const current = rows.findIndex((row) =>
    row.kind === 'call' ? row.id === shownId : !isOpen(row.group.key) && row.group.ids.includes(shownId ?? ''),
  );
  const found = atKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === atKey);
  const at = Math.max(found < 0 ? current : found, 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => area.current,
    estimateSize: (index) => (rows[index]?.kind === 'group' ? GROUP_PX : ROW_PX),
    getItemKey: (index) => (rows[index] === undefined ? index : keyOf(rows[index])),
    overscan: 8,
    // The row that Tab goes to is always in the page.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), at])].filter((index) => index < rows.length).sort((a, b) => a - b),
  });
  useEffect(() => {
    if (isPointed.current) return;
    // A finger leaves after each tap, so the list stays as it is until a card is opened.
    release();
    if (current >= 0) virtual.scrollToIndex(current, { align: 'auto' });
  }, [shownId]);
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    const row = to === undefined ? undefined : rows[to];
    if (to === undefined || row === undefined) return;
    event.preventDefault();
    setAtKey(keyOf(row));
    virtual.scrollToIndex(to, { align: 'auto' });
    requestAnimationFrame(() =>
      area.current?.querySelector<HTMLElement>(`[data-index="${to}"] [data-row]`)?.focus({ preventScroll: true }),
    );
  };
  const selectedOf = (row: Row): RowProps['selected'] => {
    const ids = idsOf(row).filter((id) => isThere.has(id) && mine.has(id));
    if (ids.length === 0) return undefined;
    const count = ids.filter((id) => chosen.has(id)).length;
    return count === 0 ? 'none' : count === ids.length ? 'all' : 'some';
  };
  // The same functions on every render, so that scrolling renders only the rows that come into view.
  const acts = useRef({ onChoose, onPick, toggle, isThere });
  acts.current = { onChoose, onPick, toggle, isThere };
  const onSelect = useCallback((row: Row, isChosen: boolean) => acts.current.onChoose(idsOf(row), isChosen), []);
  const onOpen = useCallback((row: Row) => {
    if (row.kind === 'group') acts.current.toggle(row.group.key);
    else if (acts.current.isThere.has(row.id)) acts.current.onPick(row.id);
  }, []);
  return (
    <div
      ref={area}
      className="scroll-quiet min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain"
      onKeyDown={move}
      onPointerEnter={() => {
        isPointed.current = true;
        hold();
      }}
      onPointerLeave={({ pointerType }) => {
        isPointed.current = false;
        if (pointerType === 'mouse') release();
      }}
      onFocus={({ target }) => {
        if (target.matches(':focus-visible')) hold();
        const row = rows[Number(target.closest('[data-index]')?.getAttribute('data-index') ?? Number.NaN)];
        if (row !== undefined) setAtKey(keyOf(row));
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget) && !isPointed.current) release();
      }}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        if (scrollTop > 0 && scrollTop + clientHeight > scrollHeight - NEAR_PX) onMore?.();
      }}
    >
      {rows.length === 0 ? (
        empty
      ) : (
        <ul aria-label={approvalWords.list.name} className="relative" style={{ height: `${virtual.getTotalSize()}px` }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            const id = row === undefined ? undefined : idsOf(row)[0];
            const item = id === undefined ? undefined : itemOf(id);
            if (row === undefined || id === undefined || item === undefined) return null;
            return (
              <li
                key={keyOf(row)}
                ref={virtual.measureElement}
                data-index={index}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <ListRow
                  row={row}
                  item={item}
                  isMine={mine.has(id)}
                  isGone={row.kind === 'call' && !isThere.has(id)}
                  isOpen={row.kind === 'group' && isOpen(row.group.key)}
                  isCurrent={index === current}
                  isTabStop={index === at}
                  selected={selectedOf(row)}
                  onSelect={onSelect}
                  onOpen={onOpen}
                />
              </li>
            );
          })}
        </ul>
      )}
      {onMore === undefined ? null : (
        <button type="button" onClick={onMore} className="min-h-10 px-3 text-sm text-blue hover:underline">
          {approvalWords.showMore}
        </button>
      )}
    </div>
  );
}
