import { type ReactElement, useEffect, useRef, useState } from 'react';
import { cx } from '../ui/cx.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icon.js';
import { ApprovalPanel } from './approval-panel.js';
import { ReviewTogether } from './several/review-together.js';
import { useChatQueue } from './use-chat-queue.js';
import { useGoToWaiting } from './use-go-to-waiting.js';
import { focusOnWaiting } from './card/use-take-focus.js';
import { approvalWords } from '../words/approvals.js';

/** For phones: a bar with the number of waiting calls. The cards slide up when it is tapped, never automatically. */
export function WaitingBar({
  wanted,
  onWantedShown,
}: {
  wanted: { id: string } | undefined;
  onWantedShown: () => void;
}): ReactElement {
  const { queue, mine, find } = useChatQueue();
  const isForOthers = mine === 0;
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (wanted !== undefined) setOpen(true);
  }, [wanted]);
  const sheet = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState<{ id: string }>();
  useGoToWaiting(() => {
    const id = queue[0];
    if (open) return focusOnWaiting(sheet.current);
    if (id === undefined) return false;
    setFirst({ id });
    setOpen(true);
    return true;
  });
  return (
    <>
      <div aria-live="polite">
        {queue.length === 0 ? null : (
          <button
            type="button"
            onClick={() => setOpen(true)}
            className={cx(
              'mx-auto mb-2 flex min-h-11 w-full max-w-[56rem] items-center gap-2 rounded-lg border px-3.5 text-sm font-medium',
              isForOthers ? 'border-line-2 bg-sunken text-ink-2' : 'border-amber-line bg-amber-soft text-amber',
            )}
          >
            <Icon name="hourglass" />
            <span className="flex-1 text-left">
              {isForOthers ? approvalWords.othersCount(queue.length) : approvalWords.waitingCount(mine)}
            </span>
            {approvalWords.review}
            <Icon name="chevron" className="-rotate-90" />
          </button>
        )}
      </div>
      {open ? (
        <Dialog
          title={isForOthers ? approvalWords.othersTitle : approvalWords.waitingTitle}
          aside={<ReviewTogether />}
          shape="sheet"
          onClose={() => setOpen(false)}
        >
          <div ref={sheet} className="flex min-h-0 flex-col">
            <ApprovalPanel
              queue={queue}
              find={find}
              wanted={wanted ?? first}
              onWantedShown={() => {
                setFirst(undefined);
                onWantedShown();
              }}
              onEmpty={() => setOpen(false)}
            />
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
