import { agentName, callLine, get, viewOfApproval } from '@countersign/client';
import { type ReactElement, useCallback, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApprovalPanel } from '../approvals/approval-panel.js';
import { focusOnWaiting } from '../approvals/card/use-take-focus.js';
import type { ShownApproval } from '../approvals/shown-approval.js';
import { useGoToWaiting } from '../approvals/use-go-to-waiting.js';
import { useClient, useWorld } from '../data/connection.js';
import { useRead } from '../data/use-read.js';
import { NoticePlace } from '../notices/notice-place.js';
import { NotRead, TopBar } from '../shell/frame.js';
import { paths } from '../shell/paths.js';
import { Visible } from '../text/visible.js';
import { Icon } from '../ui/icon.js';
import { reviewWords } from '../words/review.js';
import { DecidedReview } from './decided-review.js';
import { ReviewCard } from './review-card.js';

/** A call whose change is shown file by file, and decided with its card. */
export default function ReviewPage({ approvalId }: { approvalId: string }): ReactElement {
  const client = useClient();
  const [, go] = useLocation();
  const worldId = useWorld((state) => state.worldId);
  const approvals = useWorld((state) => state.approvals);
  const queue = useWorld((state) => state.queue);
  const agents = useWorld((state) => state.agents);
  const here = get(approvals, approvalId);
  const listed = useRead({
    key: ['approval', worldId, approvalId],
    read: (signal) => client.approval(worldId, approvalId, { signal }),
    enabled: here === undefined,
  });
  const read = listed.kind === 'ready' ? listed.data : undefined;
  const first = here ?? (read === undefined ? undefined : viewOfApproval(read));
  // Decided before the page was opened, so that nothing is left to decide.
  const [wasDecided] = useState(() => here?.decision !== undefined);
  const find = useCallback(
    (id: string): ShownApproval | undefined => {
      const approval = get(approvals, id) ?? (id === approvalId ? first : undefined);
      return approval && { worldId, agentName: agentName({ agents }, approval.agentId), approval };
    },
    [approvals, approvalId, first, worldId, agents],
  );
  // The call may be asked about again, such as after an edit.
  const same = queue.filter((id) => get(approvals, id)?.invocationId === first?.invocationId);
  const isUnlisted = here === undefined && read?.status === 'pending';
  const asked = find(approvalId);
  const [wanted, setWanted] = useState<{ id: string } | undefined>({ id: approvalId });
  const forget = useCallback(() => setWanted(undefined), []);
  const box = useRef<HTMLDivElement>(null);
  useGoToWaiting(() => focusOnWaiting(box.current));
  const chat = first === undefined ? paths.world(worldId) : paths.chat(worldId, first.chatId);
  if (asked === undefined)
    return listed.kind === 'ready' ? (
      <NotRead read={{ ...listed, kind: 'loading' }} what={reviewWords.theCall} title={reviewWords.title} />
    ) : (
      <NotRead read={listed} what={reviewWords.theCall} title={reviewWords.title} />
    );
  const isDecided = wasDecided || (here === undefined && read?.status !== 'pending');
  return (
    <>
      <TopBar>
        <Link
          href={chat}
          aria-label={reviewWords.back}
          title={reviewWords.back}
          className="inline-flex size-9 shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink"
        >
          <Icon name="chevron" className="rotate-180" />
        </Link>
        <h1 data-landing="always" className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold">
          {reviewWords.title}{' '}
          <code className="font-normal text-ink-2">
            <Visible text={callLine(asked.approval.toolName, asked.approval.arguments)} strict />
          </code>
        </h1>
      </TopBar>
      <NoticePlace />
      <h2 className="sr-only">{reviewWords.files}</h2>
      <div ref={box} className="flex min-h-0 flex-1 flex-col sm:p-2">
        {isDecided ? (
          <DecidedReview asked={asked} />
        ) : (
          <ApprovalPanel
            queue={isUnlisted ? [approvalId] : same}
            find={find}
            wanted={wanted}
            onWantedShown={forget}
            onEmpty={() => go(chat)}
            card={ReviewCard}
          />
        )}
      </div>
    </>
  );
}
