import type { ApprovalView } from '@countersign/client';
import type { ReactElement, ReactNode } from 'react';
import { Avatar } from '../../ui/avatar.js';
import { cx } from '../../ui/cx.js';
import { Icon } from '../../ui/icon.js';
import { Ago } from '../../text/time.js';
import { approvalWords } from '../../words/approvals.js';

/**
 * Who asks, since when, and the position in the queue. Time and position have their own line that never wraps: if it wrapped when another call
 * arrives, the buttons below would move under the pointer.
 */
export function CardHead({
  id,
  approval,
  agentName,
  place,
  onNext,
  onNotNow,
  isForYou,
  children,
}: {
  id: string;
  approval: ApprovalView;
  agentName: string;
  place: string | undefined;
  onNext: (() => void) | undefined;
  onNotNow: (() => void) | undefined;
  /** False if the call waits for other people. */
  isForYou: boolean;
  children: ReactNode;
}): ReactElement {
  return (
    <header
      className={cx('rounded-t-lg border-b border-line px-3.5 pt-1.5 pb-2', isForYou ? 'bg-amber-soft' : 'bg-sunken')}
    >
      <p
        className={cx(
          'flex h-5 items-center gap-1 overflow-hidden text-xs whitespace-nowrap',
          isForYou ? 'text-amber' : 'text-ink-2',
        )}
      >
        <Icon name="hourglass" className="size-3.5" />
        {isForYou ? null : <span className="font-semibold">{approvalWords.othersTitle} ·</span>}
        <span>
          {approvalWords.asked} <Ago at={approval.requestedAt} />
        </span>
        {place === undefined ? null : <span className="ml-auto font-semibold">{place}</span>}
        {onNext === undefined ? null : (
          <button type="button" onClick={onNext} className="ml-1 font-medium text-blue hover:underline">
            {approvalWords.showNext}
          </button>
        )}
        {onNotNow === undefined ? null : (
          <button type="button" onClick={onNotNow} className="ml-2 font-medium text-blue hover:underline">
            {approvalWords.notNow}
          </button>
        )}
      </p>
      <div className="mt-0.5 flex items-start gap-2">
        <Avatar id={approval.agentId} name={agentName} small />
        <h3 id={id} className="min-w-0 text-sm font-semibold [overflow-wrap:anywhere]">
          {children}
        </h3>
      </div>
    </header>
  );
}
