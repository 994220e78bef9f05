import { changeEntries } from '@countersign/client';
import { type ReactElement, useMemo } from 'react';
import { useLocation } from 'wouter';
import { DecidedCard } from '../approvals/card/decided-card.js';
import type { ShownApproval } from '../approvals/shown-approval.js';
import { CallView } from '../calls/call-view.js';
import { EffectView } from '../calls/effect-view.js';
import { useMe } from '../data/me.js';
import { paths } from '../shell/paths.js';
import { ReviewScreen } from './review-screen.js';
import { useReview } from './use-review.js';
import { useViewed } from './viewed.js';

/** What was shown before a call was decided. Nothing can be decided here. */
export function DecidedReview({ asked }: { asked: ShownApproval }): ReactElement {
  const { approval, agentName, worldId } = asked;
  const { effect, prediction, noEffect, toolName, arguments: args, preview } = approval;
  const me = useMe();
  const [, go] = useLocation();
  const entries = useMemo(() => changeEntries(approval) ?? [], [approval]);
  const review = useReview(entries);
  const [viewed, toggle] = useViewed(effect?.effectHash ?? approval.approvalId, me);
  return (
    <section
      aria-label={agentName}
      className="flex min-h-0 flex-1 flex-col rounded-lg border border-line bg-surface shadow-card"
    >
      <ReviewScreen
        review={review}
        viewed={viewed}
        onViewed={toggle}
        onBack={() => go(paths.call(worldId, approval.chatId, approval.invocationId))}
        summary={
          <div
            tabIndex={0}
            role="group"
            data-reading
            aria-label={agentName}
            className="scroll-quiet min-h-0 flex-1 space-y-3 overflow-y-auto p-3"
          >
            <DecidedCard approval={approval} agentName={agentName} me={me} />
            <CallView {...{ toolName, args, preview, noEffect }} effect={effect ?? prediction} isBrief />
            <EffectView approval={approval} isBrief />
          </div>
        }
      />
    </section>
  );
}
