import { changeStarts, type DiffRow } from '@countersign/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, type Ref, useEffect, useImperativeHandle, useMemo, useState } from 'react';
import { scrollByKey } from '../approvals/card/reading-area.js';
import { useEndShown } from '../approvals/card/use-end-shown.js';
import { LineRow } from './line-row.js';
import { splitLong } from './split-long.js';

export interface DiffControl {
  /** Goes to the next or previous block of changed lines. Returns false at the last or first one. */
  go: (by: 1 | -1) => boolean;
  scroll: (key: string) => boolean;
}

const LINE_PX = 22;

/** The lines of one file; only those on the screen are in the page. */
export function DiffTable({
  label,
  lines,
  onEnd,
  control,
  onLine,
}: {
  label: string;
  lines: readonly DiffRow[];
  onEnd: () => void;
  control: Ref<DiffControl>;
  /** Called with the number of a line of the new file. */
  onLine?: ((line: number) => void) | undefined;
}): ReactElement {
  const rows = useMemo(() => splitLong(lines), [lines]);
  const starts = useMemo(() => changeStarts(rows), [rows]);
  const [change, setChange] = useState(-1);
  const { area, marker, wasShown } = useEndShown(label);
  useEffect(() => {
    if (wasShown) onEnd();
  }, [wasShown, onEnd]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => area.current,
    estimateSize: () => LINE_PX,
    overscan: 12,
    scrollPaddingStart: 3 * LINE_PX,
  });
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
      if (key === 'End' && rows.length > 0) virtual.scrollToIndex(rows.length - 1, { align: 'end' });
      return scrollByKey(area.current, key);
    },
  }));
  const marked = starts[change];
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
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <div
              key={index}
              ref={virtual.measureElement}
              data-index={index}
              data-row
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <LineRow row={row} isMarked={index === marked} onLine={onLine} />
            </div>
          );
        })}
      </div>
      <div ref={marker} className="h-px" />
    </div>
  );
}
