import { get, isForYou, pendingApprovals, rowAt } from '@countersign/client';
import type { ReactElement } from 'react';
import { useMe } from '../../data/me.js';
import { useReview } from '../../approvals/review.js';
import { lastApproval } from '../../approvals/story.js';
import { ToolCard } from '../../calls/tool-card.js';
import { useChat } from '../../data/connection.js';
import { chatWords } from '../../words/chat.js';

/** The calls in one message, one card each. */
export function Calls({ ids }: { ids: readonly string[] }): ReactElement {
  return (
    <div className="mt-2 space-y-1.5">
      {ids.map((id, index) => (
        <Call key={id} id={id} isLastOfTurn={index === ids.length - 1} />
      ))}
    </div>
  );
}

function Call({ id, isLastOfTurn }: { id: string; isLastOfTurn: boolean }): ReactElement | null {
  const invocation = useChat((state) => get(state.invocations, id));
  const approval = useChat((state) => {
    const found = get(state.invocations, id);
    return found === undefined ? undefined : lastApproval(found, (each) => get(state.approvals, each));
  });
  const output = useChat((state) => state.outputs.get(id));
  const place = useChat((state) => {
    if (approval === undefined || !isForYou(approval, state.me)) return undefined;
    const mine = pendingApprovals(state).filter((each) => isForYou(each, state.me));
    const position = mine.indexOf(approval);
    return position < 0 || mine.length < 2 ? undefined : chatWords.place(position + 1, mine.length);
  });
  const isLast = useChat(({ invocations, transcript, streams }) => {
    const messageId = get(invocations, id)?.messageId;
    return isLastOfTurn && streams.length === 0 && rowAt(transcript, transcript.length - 1) === messageId;
  });
  const review = useReview();
  const me = useMe();
  const reader = useChat((state) => state.me);
  if (invocation === undefined) return null;
  return (
    <ToolCard
      invocation={invocation}
      approval={approval}
      output={output}
      place={place}
      isLast={isLast}
      me={me}
      isForYou={approval === undefined || isForYou(approval, reader)}
      onReview={approval === undefined ? undefined : () => review(approval.approvalId)}
    />
  );
}
