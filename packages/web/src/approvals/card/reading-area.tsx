import type { ReactElement, ReactNode } from 'react';
import { FoldContext } from '../../text/folds.js';
import { Icon } from '../../ui/icon.js';
import type { EndShown } from './use-end-shown.js';
import { approvalWords } from '../../words/approvals.js';

/** How far one step scrolls. The last lines stay visible, so that none is skipped. */
const STEP = 0.85;

/** The call to approve, in a scroll area that says how much is left. `below` follows it and isn't part of the call. */
export function ReadingArea({
  end: { area, marker, reportFold, moreLines },
  below,
  children,
}: {
  end: EndShown;
  below?: ReactNode;
  children: ReactNode;
}): ReactElement {
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={area}
        tabIndex={0}
        role="group"
        data-reading
        aria-label={approvalWords.details}
        className="scroll-quiet relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
      >
        <FoldContext value={reportFold}>
          <div data-call className="space-y-3 p-3">
            {children}
          </div>
        </FoldContext>
        <div ref={marker} className="h-px" />
        {below}
      </div>
      {moreLines === 0 ? null : (
        <div className="pointer-events-none absolute inset-x-0 bottom-0 flex h-16 items-end justify-center bg-linear-to-t from-surface from-35% to-transparent pb-2">
          <button
            type="button"
            onClick={() => scrollByKey(area.current, 'PageDown')}
            className="pointer-events-auto inline-flex min-h-7 items-center gap-1 rounded-full border border-amber-line bg-amber-soft px-2.5 text-xs font-medium text-amber"
          >
            <Icon name="down" className="size-3.5" />
            {approvalWords.moreLines(moreLines)}
          </button>
        </div>
      )}
    </div>
  );
}

/** Scroll keys for a card that has the focus. Returns false for any other key. */
export function scrollByKey(area: HTMLElement | null, key: string): boolean {
  const page = (area?.clientHeight ?? 0) * STEP;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 40,
    ArrowUp: -40,
    PageDown: page,
    ' ': page,
    PageUp: -page,
    End: area?.scrollHeight ?? 0,
    Home: -(area?.scrollHeight ?? 0),
  };
  const top = steps[key];
  if (top === undefined) return false;
  area?.scrollBy({ top });
  return true;
}
