import { after, type Answered, type ApprovalView, type Current, nextCurrent } from '@countersign/client';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApprovalCard } from './approval-card.js';
import { DecidedCard } from './decided-card.js';
import { learnMe, useMe } from './me.js';
import { QuestionCard } from './question-card.js';
import { useAnswer } from './use-answer.js';
import { useMatches } from './use-matches.js';
import { WaitingList } from './waiting-list.js';

/** A question, with what is needed to show and answer it. */
export interface Asked {
  worldId: string;
  agentName: string;
  approval: ApprovalView;
}

export interface ApprovalPanelProps {
  /** Ids of those that wait, oldest first. */
  queue: readonly string[];
  /** Also finds those that were decided, for as long as they are known. */
  find: (id: string) => Asked | undefined;
  /** Asked for from elsewhere, such as a card in the transcript. A new object each time. */
  wanted?: { id: string } | undefined;
  onEmpty?: (() => void) | undefined;
  /** More about the one that is shown. */
  about?: (asked: Asked) => ReactNode;
}

/** The questions of one place: one in full, the others in a list to pick from (A12). */
export function ApprovalPanel({ queue, find, wanted, onEmpty, about }: ApprovalPanelProps): ReactElement | null {
  const [current, setCurrent] = useState<Current>({ kind: 'none' });
  const [answered, setAnswered] = useState<Answered>({ sending: new Set(), taken: new Set() });
  const me = useMe();
  // Whether a person is at work in here: then the focus goes on to the next card, else it is left where it is.
  const follow = useRef(false);
  const last = useRef<Asked>(undefined);
  const { decide, reply } = useAnswer();
  const matches = useMatches();
  const shown = nextCurrent(current, queue, answered);
  const waiting = queue.filter((id) => !answered.taken.has(id));
  useEffect(() => {
    if (shown.kind !== current.kind || ('id' in shown && 'id' in current && shown.id !== current.id)) setCurrent(shown);
  }, [shown, current]);
  useEffect(() => {
    if (wanted === undefined) return;
    follow.current = true;
    setCurrent({ kind: 'open', id: wanted.id });
  }, [wanted]);
  useEffect(() => {
    for (const id of answered.taken) {
      const by = find(id)?.approval.decision?.by;
      if (by !== undefined) learnMe(by);
    }
  }, [answered, find]);
  const isEmpty = shown.kind === 'none';
  const wasFull = useRef(false);
  useEffect(() => {
    if (isEmpty && wasFull.current) onEmpty?.();
    wasFull.current = !isEmpty;
  }, [isEmpty, onEmpty]);

  if (shown.kind === 'none') return null;
  const found = find(shown.id);
  if (found !== undefined) last.current = found;
  // One that is known no more was decided elsewhere: its last form is shown until the person goes on.
  const asked = found ?? (last.current?.approval.approvalId === shown.id ? last.current : undefined);
  if (asked === undefined) return null;
  const { approval, agentName } = asked;
  const position = waiting.indexOf(shown.id);
  const place = position < 0 || waiting.length < 2 ? undefined : `${position + 1} of ${waiting.length}`;
  const next = after(waiting, shown.id);
  const settle = async (work: Promise<boolean>): Promise<void> => {
    follow.current = true;
    const id = approval.approvalId;
    setAnswered(({ sending, taken }) => ({ sending: new Set(sending).add(id), taken }));
    const isTaken = await work;
    setAnswered(({ sending, taken }) => ({
      sending: new Set([...sending].filter((each) => each !== id)),
      taken: isTaken ? new Set(taken).add(id) : taken,
    }));
  };
  const pick = (id: string): void => {
    follow.current = true;
    setCurrent({ kind: 'open', id });
  };
  return (
    <div className="space-y-3">
      {shown.kind === 'held' ? (
        <DecidedCard
          approval={approval}
          agentName={agentName}
          me={me}
          onNext={() => setCurrent({ kind: 'none' })}
          nextWords={waiting.length > 0 ? `Next (${waiting.length} waiting)` : 'Close'}
        />
      ) : approval.question !== undefined ? (
        <QuestionCard
          key={approval.approvalId}
          approval={approval}
          question={approval.question}
          agentName={agentName}
          place={place}
          onAnswer={(words) => settle(reply(asked, words))}
          onRefuse={() => settle(decide(asked, { decision: 'deny' }))}
        />
      ) : (
        <ApprovalCard
          key={approval.approvalId}
          approval={approval}
          agentName={agentName}
          place={place}
          takeFocus={follow.current}
          matches={(rule) => matches(asked, rule)}
          onAnswer={(answer) => settle(decide(asked, answer))}
          onNext={next === undefined ? undefined : () => pick(next)}
        />
      )}
      {about?.(asked)}
      <WaitingList queue={waiting} shownId={shown.id} find={find} onPick={pick} />
    </div>
  );
}
