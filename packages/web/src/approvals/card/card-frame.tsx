import { changesReason, type ApprovalView } from '@countersign/client';
import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { agentHue } from '../../ui/avatar.js';
import { Button } from '../../ui/button.js';
import { cx } from '../../ui/cx.js';
import { CardHead } from './card-head.js';
import { ReadingArea, scrollByKey } from './reading-area.js';
import { ReasonRow } from './reason-row.js';
import type { EndShown } from './use-end-shown.js';
import { type TakeFocus, useTakeFocus } from './use-take-focus.js';
import { approvalWords } from '../../words/approvals.js';

/** Props that every card gets from its container. */
export interface CardPlace {
  approval: ApprovalView;
  agentName: string;
  /** The position in the queue, such as `1 of 3` (CALL12). */
  place?: string | undefined;
  onNext?: (() => void) | undefined;
  /** Puts the call at the end, without deciding it. */
  onNotNow?: (() => void) | undefined;
  /** Whether the card takes the focus when it appears; checked once. */
  takeFocus: { current: TakeFocus };
  /** Content below the question in the scroll area that isn't part of the call. */
  below?: ReactNode;
}

interface CardFrameProps extends CardPlace {
  title: ReactNode;
  end: EndShown;
  children: ReactNode;
  /** Puts the reading area next to the files of the change. */
  beside?: ((reading: ReactElement) => ReactElement) | undefined;
  /** Shown between the content and the bar. */
  form?: ReactNode;
  /** False if the call waits for other people. */
  isForYou?: boolean;
  /** Whether the reader can't decide anything. */
  isReadOnly?: boolean;
  /** Why the call can't be approved now, or what approving means. */
  note: ReactNode;
  noteId: string;
  mayDeny: boolean;
  /** The card has just appeared, and can't be decided yet (CALL18). */
  isNew: boolean;
  onDeny: (reason: string) => void;
  /** Whether the agent can be told what to do instead. A run has its own way, which keeps its draft. */
  takesChanges?: boolean;
  /** Closes the open form. The button replaces *Reason…*. */
  onBack?: (() => void) | undefined;
  onKey: (key: string) => (() => void) | undefined;
  /** The button in the place of *Approve once*, and everything to the right of it. */
  primary: ReactNode;
  more?: ReactNode;
}

const TOO_EARLY_MS = 3000;
const DECIDING_KEYS: ReadonlySet<string> = new Set(['o', 'c', 'a', 'd', 'e']);

/**
 * One card: who asks, for what, and a bar at the bottom. The bar's buttons have the same position and size on every card, so that a second
 * click never hits a different button.
 */
export function CardFrame(props: CardFrameProps): ReactElement {
  const { approval, agentName, place, onNext, onNotNow, takeFocus, below, title, end, children, form, beside } = props;
  const { noteId, isNew, onDeny, onBack, onKey, primary, more, isForYou = true, isReadOnly = false } = props;
  const { takesChanges = false } = props;
  const mayDeny = props.mayDeny && !isReadOnly;
  const [reason, setReason] = useState('');
  const [hasReason, setHasReason] = useState(false);
  const card = useRef<HTMLElement>(null);
  const titleId = useId();
  const [isTooEarly, setIsTooEarly] = useState(false);
  const note = isTooEarly ? approvalWords.tooEarly : props.note;
  useEffect(() => {
    if (!isTooEarly) return;
    // The note may say what is missing to approve the call.
    const timer = setTimeout(() => setIsTooEarly(false), TOO_EARLY_MS);
    return () => clearTimeout(timer);
  }, [isTooEarly]);
  useTakeFocus(card, takeFocus);
  const deny = (): void => onDeny(reason.trim());
  const actOf = (key: string): (() => void) | undefined => {
    if (key === 'n') return onNext;
    if (key === 'd') return mayDeny ? deny : undefined;
    return onKey(key);
  };
  // Single keys work only while the card itself has the focus: in a field they type text, and elsewhere they do nothing.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== card.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const isScrolled = scrollByKey(end.area.current, event.key);
    // The key was meant for the previous card. It is dropped, and the card says so.
    setIsTooEarly(isNew && !isReadOnly && DECIDING_KEYS.has(event.key));
    // Holding a key down decides nothing.
    const act = event.repeat || isScrolled ? undefined : actOf(event.key);
    // The form opened by the key takes the focus, so the letter would be typed into it.
    if (isScrolled || act !== undefined) event.preventDefault();
    act?.();
  };
  const reading = (
    <ReadingArea end={end} below={below}>
      {children}
    </ReadingArea>
  );
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      style={agentHue(approval.agentId)}
      className={cx(
        'flex min-h-0 flex-1 flex-col rounded-lg border bg-surface shadow-card focus-visible:outline-offset-1',
        isForYou ? 'border-amber-line' : 'border-line-2',
      )}
    >
      <CardHead
        id={titleId}
        approval={approval}
        agentName={agentName}
        place={place}
        onNext={onNext}
        onNotNow={onNotNow}
        isForYou={isForYou}
      >
        {title}
      </CardHead>
      {beside === undefined ? reading : beside(reading)}
      {form === undefined ? null : (
        <div className="scroll-quiet max-h-[50%] shrink-0 overflow-y-auto border-t border-line p-3">{form}</div>
      )}
      <footer className="shrink-0 space-y-2 rounded-b-lg border-t border-line-2 bg-surface p-2">
        {isReadOnly ? null : (
          <>
            {hasReason ? (
              <ReasonRow
                reason={reason}
                mayDeny={mayDeny}
                onReason={setReason}
                onDeny={deny}
                onRequestChanges={takesChanges ? () => onDeny(changesReason(reason.trim())) : undefined}
              />
            ) : null}
            <div className="grid grid-cols-[minmax(0,4rem)_minmax(0,5rem)_minmax(0,1fr)_minmax(0,7.25rem)_2.5rem] gap-1.5 [&_button]:h-10 [&_button]:min-w-0 [&_button]:px-0 [&_button]:text-[0.8125rem] pointer-coarse:[&_button]:h-11">
              <Button look="danger" disabled={!mayDeny} onClick={deny}>
                {approvalWords.deny}
              </Button>
              {onBack === undefined ? (
                <Button look="quiet" aria-expanded={hasReason} onClick={() => setHasReason(!hasReason)}>
                  {approvalWords.openReason}
                </Button>
              ) : (
                <Button look="quiet" onClick={onBack}>
                  {approvalWords.back}
                </Button>
              )}
              <span />
              {primary}
              {more}
            </div>
          </>
        )}
        <p
          id={noteId}
          role="status"
          className={cx(
            'h-8 overflow-hidden px-1 text-xs leading-4',
            isTooEarly ? 'font-medium text-amber' : 'text-ink-3',
          )}
        >
          {note}
        </p>
      </footer>
    </section>
  );
}
