import { namedCallLine } from '@countersign/client';
import type { ReactElement } from 'react';
import { Avatar } from '../ui/avatar.js';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import { Visible } from '../text/visible.js';
import type { ShownApproval } from './shown-approval.js';
import { approvalWords } from '../words/approvals.js';

/** The other waiting calls with their positions, to choose from. */
export function WaitingList({
  queue,
  mineCount,
  total,
  shownId,
  find,
  onPick,
  onMore,
}: {
  queue: readonly string[];
  /** How many of them wait for this person. They come first. */
  mineCount: number;
  /** The number of waiting calls, such as "100+". */
  total: string;
  shownId: string;
  find: (id: string) => ShownApproval | undefined;
  onPick: (id: string) => void;
  /** Loads more calls. Absent if all are loaded. */
  onMore: (() => void) | undefined;
}): ReactElement | null {
  const others = queue.flatMap((id, index) => {
    const asked = id === shownId ? undefined : find(id);
    return asked === undefined
      ? []
      : [{ id, asked, place: index < mineCount ? approvalWords.place(index + 1, total) : undefined }];
  });
  if (others.length === 0) return null;
  return (
    <div>
      <p aria-hidden="true" className="mb-1 text-xs font-semibold text-ink-3">
        {approvalWords.alsoWaiting}
      </p>
      <ol className="overflow-hidden rounded-lg border border-line bg-surface" aria-label={approvalWords.alsoWaiting}>
        {others.map(({ id, asked: { approval, agentName }, place }) => (
          <li key={id} className="border-t border-line first:border-t-0">
            <button
              type="button"
              onClick={() => onPick(id)}
              className="flex min-h-10 w-full items-center gap-2 px-3 py-1.5 text-left text-[0.8125rem] hover:bg-sunken"
            >
              <span className={cx('shrink-0 text-xs tabular-nums', place === undefined ? 'text-ink-3' : 'text-amber')}>
                {place ?? approvalWords.waitingForOthers}
              </span>
              <Avatar id={approval.agentId} name={agentName} small />
              <code className="min-w-0 flex-1 truncate">
                <Visible
                  text={approval.question?.text ?? namedCallLine(approval.toolName, approval.arguments)}
                  strict
                />
              </code>
              <Icon name="chevron" className="size-3.5 text-ink-3" />
            </button>
          </li>
        ))}
      </ol>
      {onMore === undefined ? null : (
        <button type="button" onClick={onMore} className="min-h-10 px-3 text-sm text-blue hover:underline">
          {approvalWords.showMore}
        </button>
      )}
    </div>
  );
}
