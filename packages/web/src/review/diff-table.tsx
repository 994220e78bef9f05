import { changeStarts, type DiffRow, sideBySide, type SideRow } from '@countersign/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, type Ref, useEffect, useImperativeHandle, useMemo, useState } from 'react';
import { scrollByKey } from '../approvals/card/reading-area.js';
import { useEndShown } from '../approvals/card/use-end-shown.js';
import { TWO_TEXTS, useMedia } from '../shell/use-media.js';
import { reviewWords } from '../words/review.js';
import { LineRow } from './line-row.js';
import { useColours } from './use-colours.js';
import type { ShownText } from './use-text.js';

export interface DiffControl {
  /** Goes to the next or previous block of changed lines. Returns false at the last or first one. */
  go: (by: 1 | -1) => boolean;
  scroll: (key: string) => boolean;
  /** Selects the block of lines that `go` has shown, or not any more. Returns false if it has shown nothing. */
  toggleBlock: () => boolean;
}

/** Blocks of lines that can be selected, counted from 1. `of`: how many there are. */
interface Blocks {
  readonly has: (block: number) => boolean;
  readonly toggle: (block: number, of: number) => void;
}

const LINE_PX = 22;

/** The lines of one file; only those on the screen are in the page. */
export function DiffTable({
  label,
  path,
  text: { rows, others },
  onEnd,
  control,
  onLine,
  blocks,
}: {
  label: string;
  /** Its ending says how to colour the lines. */
  path: string;
  text: ShownText;
  onEnd: () => void;
  control: Ref<DiffControl>;
  /** Called with the number of a line of the new file. */
  onLine?: ((line: number) => void) | undefined;
  blocks?: Blocks | undefined;
}): ReactElement {
  // Where nothing is replaced, one of two columns would be empty.
  const isWide = useMedia(TWO_TEXTS) && others.size > 0;
  const shown = useMemo(() => (isWide ? sideBySide(rows) : rows.map((whole): SideRow => ({ whole }))), [rows, isWide]);
  const heads = useMemo(() => shown.flatMap(headOf), [shown]);
  const places = useMemo(() => heads.flatMap(({ kind }, at) => (kind === 'place' ? [at] : [])), [heads]);
  const starts = useMemo(() => changeStarts(heads), [heads]);
  const [change, setChange] = useState(-1);
  const { area, marker, wasShown } = useEndShown(label);
  useEffect(() => {
    if (wasShown) onEnd();
  }, [wasShown, onEnd]);
  const virtual = useVirtualizer({
    count: shown.length,
    // Heights that were measured in one column don't hold in two.
    getItemKey: (index) => (isWide ? -1 - index : index),
    getScrollElement: () => area.current,
    estimateSize: () => LINE_PX,
    overscan: 12,
    scrollPaddingStart: 3 * LINE_PX,
  });
  const marked = starts[change];
  const items = virtual.getVirtualItems();
  const colours = useColours(path, shown, items[0]?.index ?? 0, items.at(-1)?.index ?? -1);
  useImperativeHandle(control, () => ({
    go(by) {
      const next = starts[change + by];
      if (next === undefined) return false;
      setChange(change + by);
      virtual.scrollToIndex(next, { align: 'start' });
      return true;
    },
    scroll(key) {
      // The height of the rows between is only an estimate.
      if (key === 'End' && shown.length > 0) virtual.scrollToIndex(shown.length - 1, { align: 'end' });
      return scrollByKey(area.current, key);
    },
    toggleBlock() {
      if (marked === undefined || blocks === undefined || places.length === 0) return false;
      blocks.toggle(places.filter((at) => at < marked).length, places.length);
      return true;
    },
  }));
  return (
    <div
      ref={area}
      role="group"
      aria-label={label}
      data-reading
      tabIndex={0}
      className="scroll-quiet relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain bg-surface font-mono text-[0.8125rem] leading-[1.375rem] focus-visible:-outline-offset-2"
    >
      <div className="relative" style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const side = shown[index];
          return side === undefined ? null : (
            <div
              key={index}
              ref={virtual.measureElement}
              data-index={index}
              data-row
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <LineRow side={side} isMarked={index === marked} colours={colours} others={others} onLine={onLine}>
                {heads[index]?.kind === 'place' && blocks !== undefined ? (
                  <BlockTick block={places.indexOf(index) + 1} of={places.length} blocks={blocks} />
                ) : null}
              </LineRow>
            </div>
          );
        })}
      </div>
      <div ref={marker} className="h-px" />
    </div>
  );
}

/** The line that says what a row is: of two that differ, the new one. */
function headOf(side: SideRow): DiffRow | [] {
  return 'whole' in side ? side.whole : (side.right ?? side.left ?? []);
}

function BlockTick({ block, of, blocks }: { block: number; of: number; blocks: Blocks }): ReactElement {
  return (
    <input
      type="checkbox"
      aria-label={reviewWords.selectBlock(block)}
      checked={blocks.has(block)}
      onMouseDown={(event) => event.preventDefault()}
      onChange={() => blocks.toggle(block, of)}
      className="mx-1 shrink-0 accent-[var(--blue)] pointer-coarse:size-6"
    />
  );
}
