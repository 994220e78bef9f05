import { type ApprovalView, chatPattern, get, isForYou, mayEdit, waitingCount } from '@countersign/client';
import { type ReactElement, useRef, useState } from 'react';
import { Link } from 'wouter';
import LastTurn from '../chat/timeline/last-turn.js';
import { useChat, useWorld } from '../data/connection.js';
import { paths } from '../shell/paths.js';
import { Count } from '../ui/badge.js';
import { ApprovalPanel } from './approval-panel.js';
import { ReviewTogether } from './several/review-together.js';
import { useChatQueue } from './use-chat-queue.js';
import { useGoToWaiting } from './use-go-to-waiting.js';
import { focusOnWaiting } from './card/use-take-focus.js';
import { approvalWords } from '../words/approvals.js';

/** The column next to the transcript: waiting calls, and the timeline of the last turn. */
export function WaitingColumn({
  wanted,
  onWantedShown,
}: {
  wanted: { id: string } | undefined;
  onWantedShown: () => void;
}): ReactElement {
  const chatId = useChat((state) => state.chatId);
  const { queue, mine, find } = useChatQueue();
  const [shown, setShown] = useState<ApprovalView>();
  const isYours = useChat((state) => shown === undefined || isForYou(shown, state.me));
  const column = useRef<HTMLElement>(null);
  useGoToWaiting(() => focusOnWaiting(column.current));
  return (
    <aside
      ref={column}
      aria-label={approvalWords.waitingTitle}
      className="flex w-[25rem] shrink-0 flex-col border-l border-line bg-paper 2xl:w-[28rem]"
    >
      <header className="flex h-14 shrink-0 items-center gap-2 px-4">
        <div className="mr-auto min-w-0">
          <div className="flex items-center gap-2">
            <h2 className="text-[0.9375rem] leading-tight font-semibold">
              {mine === 0 && queue.length > 0 ? approvalWords.othersTitle : approvalWords.waitingTitle}
            </h2>
            <Count value={mine} of={approvalWords.inThisChat} />
          </div>
          <Elsewhere chatId={chatId} />
        </div>
        <ReviewTogether />
      </header>
      <p className="sr-only" role="status">
        {approvalWords.waitingStatus(mine)}
      </p>
      <div className="flex min-h-0 flex-1 flex-col px-3 pb-3">
        <ApprovalPanel
          queue={queue}
          find={find}
          wanted={wanted}
          onWantedShown={onWantedShown}
          onShown={setShown}
          empty={<p className="px-1 text-sm text-ink-3">{approvalWords.chatEmpty}</p>}
        />
      </div>
      {/* Rendered from the start: if it appeared later, it would move the bar above it. */}
      <div className="h-[min(11rem,22dvh)] shrink-0">
        <LastTurn />
      </div>
      <p className="shrink-0 border-t border-line px-4 py-2 text-xs text-ink-3">
        {approvalWords.keys({
          once: isYours,
          chat: isYours && (shown === undefined || chatPattern(shown) !== undefined),
          always: isYours && (shown === undefined || shown.proposedRule !== undefined),
          edit: isYours && (shown === undefined || mayEdit(shown)),
        })}
      </p>
    </aside>
  );
}

/** Placed in the header, where it moves nothing: a list would move what the person is about to click. */
function Elsewhere({ chatId }: { chatId: string }): ReactElement | null {
  const count = useWorld((state) => {
    const elsewhere = state.queue.filter((id) => {
      const approval = get(state.approvals, id);
      return approval !== undefined && approval.chatId !== chatId && isForYou(approval, state.me);
    }).length;
    return elsewhere === 0 ? '' : waitingCount(elsewhere, state);
  });
  if (count === '') return null;
  return (
    <Link
      href={paths.inbox}
      className="block truncate text-[0.8125rem] leading-tight font-medium text-blue hover:underline"
    >
      {approvalWords.inOtherChats(count)}
    </Link>
  );
}
