import { after, type Answered, type ApprovalView, type Current, nextCurrent, replacementOf } from '@countersign/client';
import { type ComponentType, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { AskedOften } from './card/asked-often.js';
import { ApprovalCard, type ApprovalCardProps } from './card/approval-card.js';
import { DecidedCard } from './card/decided-card.js';
import { useClient } from '../data/connection.js';
import { useMe } from '../data/me.js';
import { orSayWhy } from '../notices/toast.js';
import { useForYou, useReader } from './for-you.js';
import { QuestionCard } from './question/question-card.js';
import { useNotNow, withLast } from './not-now.js';
import { type Outcome, useAnswer } from './use-answer.js';
import { useMatches } from './use-matches.js';
import { focusOnWaiting, type TakeFocus } from './card/use-take-focus.js';
import { WaitingList } from './waiting-list.js';
import { paths } from '../shell/paths.js';
import { approvalWords } from '../words/approvals.js';
import type { ShownApproval } from './shown-approval.js';

/** An approval to show, requested elsewhere, such as by a card in the transcript. A new object for each request. */
export interface Wanted {
  id: string;
  /** The focus stays where it is. */
  isQuiet?: boolean;
}

export interface ApprovalPanelProps {
  /** Ids of waiting approvals, oldest first. */
  queue: readonly string[];
  /** Loads more approvals. Absent if all are loaded. */
  onMore?: (() => void) | undefined;
  /** Also finds decided approvals that are still loaded. */
  find: (id: string) => ShownApproval | undefined;
  wanted?: Wanted | undefined;
  /** Called when the wanted card has been shown, to clear the request: otherwise, a panel opened later would show it again. */
  onWantedShown?: (() => void) | undefined;
  /** The other calls are listed elsewhere on the page. */
  isListed?: boolean;
  /** Calls that this person decided outside of the panel. */
  taken?: ReadonlySet<string>;
  onEmpty?: (() => void) | undefined;
  /** Shown while nothing is waiting. */
  empty?: ReactNode;
  /** Additional content about the approval that is shown. */
  about?: (asked: ShownApproval) => ReactNode;
  /** Shows a call in another way than in a column. */
  card?: ComponentType<ApprovalCardProps>;
  /** Called with the approval that is shown, or undefined. */
  onShown?: ((approval: ApprovalView | undefined) => void) | undefined;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The approvals in one place: one in full, the others in a list (CALL12). An approval that was decided elsewhere stays, collapsed, until the person has
 * seen it; the next one appears below it.
 */
export function ApprovalPanel({
  queue,
  onMore,
  find,
  wanted,
  onWantedShown,
  isListed = false,
  taken = NONE,
  onEmpty,
  empty,
  about,
  onShown,
  card: Card = ApprovalCard,
}: ApprovalPanelProps): ReactElement {
  const [current, setCurrent] = useState<Current>(() =>
    wanted === undefined ? { kind: 'none' } : { kind: 'open', id: wanted.id },
  );
  const [own, setAnswered] = useState<Answered>({ sending: new Set(), taken: new Set() });
  const answered = { ...own, taken: new Set([...own.taken, ...taken]) };
  const [aside, setAside] = useState<ShownApproval>();
  const me = useMe();
  // Whether the person is working in this panel: only then does the next card take the focus.
  const follow = useRef<TakeFocus>('no');
  const last = useRef<ShownApproval>(undefined);
  const { decide, reply } = useAnswer();
  const matches = useMatches();
  const client = useClient();
  const readerOf = useReader();
  const isForYou = useForYou();
  const isMine = (id: string): boolean => {
    const asked = find(id);
    return asked === undefined || isForYou(asked);
  };
  // Calls that wait for other people come last, and don't count.
  const notNow = useNotNow();
  const mine = withLast(queue.filter(isMine), notNow.ids);
  const isAmongMine = new Set(mine);
  const ordered = [...mine, ...queue.filter((id) => !isAmongMine.has(id))];
  const [edits, setEdits] = useState<readonly ApprovalView[]>([]);
  const replacement = (id: string): string | undefined => {
    const edit = edits.find(({ approvalId }) => approvalId === id);
    return edit && (replacementOf(edit, ordered, (each) => find(each)?.approval) ?? id);
  };
  // After a decision, the card that followed in the list comes next.
  const later = useRef<readonly string[]>([]);
  const inOrder = new Set([...later.current.filter((id) => isAmongMine.has(id)), ...ordered]);
  const shown = nextCurrent(current, [...inOrder], answered, replacement);
  if (isListed && shown.kind === 'open' && isAmongMine.has(shown.id))
    later.current = mine.slice(mine.indexOf(shown.id) + 1);
  const waiting = ordered.filter((id) => !answered.taken.has(id));
  const mineCount = waiting.filter((id) => isAmongMine.has(id)).length;
  const found = shown.kind === 'none' ? undefined : find(shown.id);
  if (found !== undefined) last.current = found;
  // An approval that can no longer be found was decided elsewhere: keep showing it until the person continues.
  const asked =
    found ?? (shown.kind !== 'none' && last.current?.approval.approvalId === shown.id ? last.current : undefined);
  const open = shown.kind === 'open' ? asked?.approval : undefined;
  useEffect(() => onShown?.(open), [open, onShown]);
  useEffect(() => {
    if (shown.kind !== current.kind || ('id' in shown && 'id' in current && shown.id !== current.id)) setCurrent(shown);
  }, [shown, current]);
  // Nobody is about to click here, so the next card can appear below the collapsed one.
  const isAside = shown.kind === 'held' && waiting.length === 0 && asked?.approval.decision !== undefined;
  useEffect(() => {
    if (!isAside) return;
    setAside(asked);
    setCurrent({ kind: 'none' });
  }, [isAside, asked]);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Nobody is working on a card here, so later ones must not take the focus.
    if (shown.kind !== 'open') follow.current = 'no';
  });
  useEffect(() => {
    if (wanted === undefined) return;
    setAside(undefined);
    onWantedShown?.();
    // A card that is already shown won't check again whether to take the focus; the next one would.
    if (shown.kind === 'open' && shown.id === wanted.id) {
      if (wanted.isQuiet !== true) focusOnWaiting(panel.current);
      return;
    }
    follow.current = wanted.isQuiet === true ? 'no' : 'now';
    setCurrent({ kind: 'open', id: wanted.id });
  }, [wanted]);
  const isEmpty = shown.kind === 'none' && aside === undefined;
  const wasFull = useRef(false);
  useEffect(() => {
    if (isEmpty && wasFull.current) onEmpty?.();
    wasFull.current = !isEmpty;
  }, [isEmpty, onEmpty]);

  // The event that names the decider may arrive a moment later.
  const told = aside === undefined ? undefined : (find(aside.approval.approvalId) ?? aside);
  const toldCard =
    told === undefined ? null : (
      <DecidedCard
        approval={told.approval}
        agentName={told.agentName}
        me={me}
        onNext={() => setAside(undefined)}
        nextWords={approvalWords.close}
      />
    );
  if (asked === undefined || shown.kind === 'none') return toldCard ?? <>{empty}</>;
  const { approval, agentName } = asked;
  const position = waiting.indexOf(shown.id);
  const total = `${mineCount}${onMore === undefined ? '' : '+'}`;
  const place =
    position < 0 || position >= mineCount || mineCount < 2 ? undefined : approvalWords.place(position + 1, total);
  const next = after(waiting, shown.id);
  const settle = async (work: Promise<Outcome>): Promise<Outcome> => {
    follow.current = 'if-free';
    const id = approval.approvalId;
    setAnswered(({ sending, taken }) => ({ sending: new Set(sending).add(id), taken }));
    // If someone else approved it a moment earlier, the card stays and shows that person's name.
    const outcome = await work;
    const isTaken = outcome.kind === 'mine';
    if (outcome.kind === 'replaced') setEdits((before) => [...before, approval]);
    setAnswered(({ sending, taken }) => ({
      sending: new Set([...sending].filter((each) => each !== id)),
      taken: isTaken ? new Set(taken).add(id) : taken,
    }));
    if (isTaken) setAside(undefined);
    return outcome;
  };
  const pick = (id: string): void => {
    follow.current = 'if-free';
    setCurrent({ kind: 'open', id });
  };
  const onNotNow =
    next === undefined || !isAmongMine.has(shown.id)
      ? undefined
      : () => {
          notNow.putOff(shown.id);
          pick(next);
        };
  // This is inside the card's scroll area, so that additions don't move the bar or anything above it. Its height is limited, so that the end of
  // the call stays visible when scrolled to the bottom.
  const below = (
    <div className="scroll-quiet max-h-[30dvh] space-y-3 overflow-y-auto px-3 pb-3 empty:hidden">
      {about?.(asked)}
      {isListed ? null : (
        <WaitingList
          queue={waiting}
          mineCount={mineCount}
          total={total}
          shownId={shown.id}
          find={find}
          onPick={pick}
          onMore={onMore}
        />
      )}
    </div>
  );
  return (
    <div ref={panel} data-panel className="flex min-h-0 flex-1 flex-col gap-3">
      {toldCard}
      {shown.kind === 'held' ? (
        <div className="scroll-quiet min-h-0 flex-1 overflow-y-auto">
          <DecidedCard
            approval={approval}
            agentName={agentName}
            me={me}
            onNext={() => {
              follow.current = 'if-free';
              setCurrent({ kind: 'none' });
            }}
            nextWords={
              mineCount > 0
                ? approvalWords.nextOf(total)
                : waiting.length > 0
                  ? approvalWords.next
                  : approvalWords.close
            }
          />
          {below}
        </div>
      ) : approval.question !== undefined ? (
        <QuestionCard
          key={approval.approvalId}
          approval={approval}
          question={approval.question}
          agentName={agentName}
          me={readerOf(asked.worldId)}
          place={place}
          takeFocus={follow}
          below={below}
          onNext={next === undefined ? undefined : () => pick(next)}
          onNotNow={onNotNow}
          onAnswer={(words) => settle(reply(asked, words))}
          onRefuse={(reason) => settle(decide(asked, { decision: 'deny', ...(reason === '' ? {} : { reason }) }))}
        />
      ) : (
        <Card
          key={approval.approvalId}
          approval={approval}
          agentName={agentName}
          me={readerOf(asked.worldId)}
          place={place}
          takeFocus={follow}
          below={
            <>
              <AskedOften worldId={asked.worldId} approval={approval} />
              {below}
            </>
          }
          wary={told !== undefined}
          reviewAt={paths.review(asked.worldId, shown.id)}
          matches={(wanted) => matches(asked, wanted)}
          onReveal={() => orSayWhy(`reveal-${shown.id}`, client.reveal(asked.worldId, shown.id))}
          onShowAll={() => orSayWhy(`effect-${shown.id}`, client.wholeEffect(asked.worldId, shown.id))}
          onAnswer={(answer) => settle(decide(asked, answer))}
          onNext={next === undefined ? undefined : () => pick(next)}
          onNotNow={onNotNow}
        />
      )}
    </div>
  );
}
