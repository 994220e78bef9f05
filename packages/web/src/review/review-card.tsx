import { type ApprovalView, changeEntries, type ChangeEntry, withoutDiffs } from '@countersign/client';
import type { Effect } from '@countersign/protocol';
import { type ReactElement, useMemo } from 'react';
import { useLocation } from 'wouter';
import { ApprovalCard, type ApprovalCardProps } from '../approvals/card/approval-card.js';
import { useComments } from '../approvals/use-comments.js';
import { useClient, useWorld } from '../data/connection.js';
import { useMe } from '../data/me.js';
import { useRead } from '../data/use-read.js';
import { paths } from '../shell/paths.js';
import { Note } from '../notices/note.js';
import { visibleText } from '../text/visible-parts.js';
import { reviewWords } from '../words/review.js';
import { ReviewScreen } from './review-screen.js';
import { useReview } from './use-review.js';
import { useSelection } from './use-selection.js';
import { useViewed } from './viewed.js';

const NONE: readonly ChangeEntry[] = [];

/** The card of a call in the full width of the window, with its files. The card itself decides, as everywhere. */
export function ReviewCard(props: ApprovalCardProps): ReactElement {
  const { approval } = props;
  const worldId = useWorld((state) => state.worldId);
  const [, go] = useLocation();
  const { effect, isLoading, failure } = useWholeEffect(worldId, approval);
  const { toolName, arguments: args, preview, prediction, noEffect } = approval;
  const entries = useMemo(
    () =>
      changeEntries({
        toolName,
        arguments: args,
        ...(preview === undefined ? {} : { preview }),
        ...(prediction === undefined ? {} : { prediction }),
        ...(noEffect === undefined ? {} : { noEffect }),
        ...(effect === undefined ? {} : { effect }),
      }) ?? NONE,
    [toolName, args, preview, prediction, noEffect, effect],
  );
  // The card draws it again for each key.
  const summary = useMemo(() => effect && withoutDiffs(effect), [effect]);
  const review = useReview(entries);
  const comments = useComments(approval);
  const selection = useSelection(approval);
  const [viewed, toggle] = useViewed(effect?.effectHash ?? approval.approvalId, useMe());
  return (
    <ApprovalCard
      {...props}
      reviewAt={undefined}
      review={{
        effect: summary,
        toShow: isLoading ? reviewWords.toShowAll : review.toShow,
        beside: (reading, isEdited) => (
          <>
            {failure === undefined ? null : <Note>{reviewWords.notAll(visibleText(failure))}</Note>}
            <ReviewScreen
              review={review}
              viewed={viewed}
              onViewed={toggle}
              summary={reading}
              isEdited={isEdited}
              comments={comments}
              selection={selection}
              onBack={() => go(paths.approval(worldId, approval.chatId, approval.approvalId))}
            />
          </>
        ),
      }}
    />
  );
}

/** An approval has only the start of a long effect. */
function useWholeEffect(
  worldId: string,
  { approvalId, effect, decision }: ApprovalView,
): { effect: Effect | undefined; isLoading: boolean; failure: string | undefined } {
  const client = useClient();
  const isNeeded = effect?.truncated === true && decision === undefined;
  const read = useRead({
    key: ['whole-effect', worldId, approvalId, effect?.effectHash],
    read: (signal) => client.wholeEffect(worldId, approvalId, { signal }),
    once: true,
    forget: true,
    enabled: isNeeded,
  });
  const whole = read.kind === 'ready' && read.data.effectHash === effect?.effectHash ? read.data : undefined;
  return {
    effect: whole ?? effect,
    isLoading: isNeeded && read.kind === 'loading',
    failure: isNeeded && read.kind === 'failed' ? read.why : undefined,
  };
}
