import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import type { Comments } from '../approvals/use-comments.js';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import { Button, IconButton } from '../ui/button.js';
import { reviewWords } from '../words/review.js';
import type { DiffControl } from './diff-table.js';
import { FileList } from './file-list.js';
import { FilePane } from './file-pane.js';
import type { Review } from './use-review.js';
import type { Selection } from './use-selection.js';
import { useReviewKeys } from './use-review-keys.js';

/** The summary of a change, its files, and one of them. On a phone, one of the three at a time. */
export function ReviewScreen({
  review,
  viewed,
  onViewed,
  summary,
  isEdited = false,
  onBack,
  comments,
  selection,
}: {
  review: Review;
  viewed: ReadonlySet<string>;
  onViewed: (path: string) => void;
  summary: ReactNode;
  /** The call is being edited in the summary. */
  isEdited?: boolean;
  onBack: () => void;
  comments?: Comments | undefined;
  /** Absent if no part of the change can be taken. */
  selection?: Selection | undefined;
}): ReactElement {
  const { entries, at, open } = review;
  const current = isEdited ? undefined : review.current;
  const [isListed, setIsListed] = useState(false);
  const table = useRef<DiffControl>(null);
  const summaryBox = useRef<HTMLDivElement>(null);
  const show = (to: number): void => {
    setIsListed(false);
    open(to);
  };
  const step = (by: 1 | -1): void => {
    const to = at + by;
    if (to >= -1 && to < entries.length) show(to);
  };
  const change = (by: 1 | -1): void => {
    if (table.current?.go(by) !== true) step(by);
  };
  const mark = (): void => {
    if (current === undefined) return;
    onViewed(current.path);
    if (!viewed.has(current.path)) step(1);
  };
  const select = (): void => {
    if (current === undefined) return;
    if (current.kind === 'folder' || table.current?.toggleBlock() !== true) selection?.toggle(current);
  };
  useReviewKeys(
    isEdited
      ? {}
      : {
          ArrowRight: () => step(1),
          ArrowLeft: () => step(-1),
          j: () => change(1),
          k: () => change(-1),
          v: mark,
          ...(selection === undefined ? {} : { x: select }),
          s: () => show(-1),
          f: onBack,
          Escape: onBack,
        },
    (key) => current !== undefined && table.current?.scroll(key) === true,
  );
  const viewedCount = entries.filter(({ path }) => viewed.has(path)).length;
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      {/* On a phone, the three are pages; there is no room for columns. */}
      <nav
        aria-label={reviewWords.title}
        className="flex shrink-0 items-center gap-1 border-b border-line p-1 md:hidden"
      >
        <Tab isCurrent={!isListed && current === undefined} onClick={() => show(-1)}>
          {reviewWords.summary}
        </Tab>
        <Tab isCurrent={isListed} onClick={() => setIsListed(true)}>
          {reviewWords.filesOf(entries.length)}
        </Tab>
        <span className="flex-1" />
        <IconButton
          icon="chevron"
          label={reviewWords.previousFile}
          className="rotate-180"
          disabled={at < 0}
          onClick={() => step(-1)}
        />
        <IconButton
          icon="chevron"
          label={reviewWords.nextFile}
          disabled={at === entries.length - 1}
          onClick={() => step(1)}
        />
      </nav>
      <div
        className={cx(
          'min-h-0 flex-col border-line md:flex md:w-72 md:shrink-0 md:border-r lg:w-80 xl:w-96',
          isListed ? 'flex flex-1 md:flex-none' : 'hidden',
        )}
      >
        <div className="hidden shrink-0 p-1 pb-0 md:block">
          <button
            type="button"
            aria-current={current === undefined ? 'true' : undefined}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => show(-1)}
            className={cx(
              'flex min-h-8 w-full items-center gap-1.5 rounded-md px-2 text-left text-[0.8125rem] font-medium',
              current === undefined ? 'bg-blue-soft' : 'hover:bg-sunken',
            )}
          >
            <Icon name="audit" className="size-3.5 text-ink-3" />
            {reviewWords.summary}
          </button>
        </div>
        <p className="flex shrink-0 items-baseline justify-between px-3 pt-1.5 text-xs text-ink-3">
          <span className="font-semibold">{reviewWords.filesOf(entries.length)}</span>
          <span title={reviewWords.viewedHint}>{reviewWords.viewedOf(viewedCount, entries.length)}</span>
        </p>
        {selection === undefined ? null : (
          <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-1.5 px-3 py-1 text-xs text-ink-2">
            {selection.count === 0 ? (
              reviewWords.selectHint
            ) : (
              <>
                <Button size="small" disabled={selection.isSending} onClick={() => void selection.send()}>
                  {reviewWords.askAbout(selection.count)}
                </Button>
                <Button size="small" onClick={selection.clear}>
                  {reviewWords.clear}
                </Button>
              </>
            )}
          </div>
        )}
        <FileList review={{ ...review, open: show }} viewed={viewed} selection={selection} />
      </div>
      <div className={cx('min-h-0 min-w-0 flex-1 flex-col md:flex', isListed ? 'hidden' : 'flex')}>
        {/* Stays in the page: the card notices when its end has been on the screen. */}
        <div ref={summaryBox} className={cx('min-h-0 flex-1 flex-col', current === undefined ? 'flex' : 'hidden')}>
          {summary}
        </div>
        {current === undefined ? null : (
          <FilePane
            key={current.path}
            entry={current}
            review={review}
            isViewed={viewed.has(current.path)}
            onViewed={() => onViewed(current.path)}
            control={table}
            comments={comments}
            selection={selection}
          />
        )}
        <p className="hidden shrink-0 border-t border-line px-3 py-1 text-xs text-ink-3 md:block">
          {reviewWords.keys(selection !== undefined)}
        </p>
      </div>
    </div>
  );
}

function Tab({
  isCurrent,
  onClick,
  children,
}: {
  isCurrent: boolean;
  onClick: () => void;
  children: ReactNode;
}): ReactElement {
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'true' : undefined}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
      className={cx(
        'min-h-9 rounded-md px-3 text-[0.8125rem] font-medium pointer-coarse:min-h-11',
        isCurrent ? 'bg-blue-soft text-ink' : 'text-ink-2',
      )}
    >
      {children}
    </button>
  );
}
