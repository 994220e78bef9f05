import { type Answer, type ApprovalView, patternOf, verbFor } from '@countersign/client';
import { type KeyboardEvent, type ReactElement, useId, useRef, useState } from 'react';
import { CallView } from '../calls/call-view.js';
import { agentHue } from '../ui/avatar.js';
import { Button } from '../ui/button.js';
import { SignatureLine } from '../ui/signature.js';
import { AlwaysForm, type Matched } from './always-form.js';
import { CardHead } from './card-head.js';
import { Circumstances } from './circumstances.js';
import { ChatScope } from './chat-scope.js';
import { DenyRow } from './deny-row.js';
import { EditForm } from './edit-form.js';
import { useArmed } from './use-armed.js';
import { type TakeFocus, useTakeFocus } from './use-take-focus.js';

export interface ApprovalCardProps {
  approval: ApprovalView;
  agentName: string;
  /** Its place among those that wait, such as `1 of 3` (A12). */
  place?: string | undefined;
  /** Resolves when the answer was taken; what went wrong is told elsewhere. */
  onAnswer: (answer: Answer) => Promise<void>;
  onNext?: (() => void) | undefined;
  /** What the rule would have matched in this chat. */
  matches: (rule: string) => Promise<Matched>;
  /** Whether the focus comes here when it appears; asked once. */
  takeFocus: { current: TakeFocus };
  /** Another one was decided elsewhere a moment ago: a click that was meant for that must not sign this. */
  wary: boolean;
}

type Open = 'nothing' | 'always' | 'edit';

/** One question about one call. Deny comes first and is never further than approve; nothing here has a default. */
export function ApprovalCard({
  approval,
  agentName,
  place,
  onAnswer,
  onNext,
  matches,
  takeFocus,
  wary,
}: ApprovalCardProps): ReactElement {
  const [open, setOpen] = useState<Open>('nothing');
  const [reason, setReason] = useState('');
  const [narrow, setNarrow] = useState(false);
  const [sending, setSending] = useState(false);
  const armed = useArmed(approval.approvalId, wary) && !sending;
  const card = useRef<HTMLElement>(null);
  const titleId = useId();
  useTakeFocus(card, takeFocus);

  const may = (option: ApprovalView['options'][number]): boolean => approval.options.includes(option);
  const pattern = approval.proposedRule === undefined ? undefined : patternOf(approval.proposedRule);
  const answer = async (given: Answer): Promise<void> => {
    setSending(true);
    await onAnswer(given);
    setSending(false);
  };
  const deny = (): void =>
    void answer({ decision: 'deny', ...(reason.trim() === '' ? {} : { reason: reason.trim() }) });
  const approveOnce = (): void => void answer({ decision: 'approve', scope: 'once' });
  const approveChat = (): void =>
    void answer({
      decision: 'approve',
      scope: 'session',
      ...(narrow && pattern !== undefined ? { pattern } : {}),
    });

  const actOf = (key: string): (() => void) | undefined => {
    if (key === 'n') return onNext;
    if (!armed) return undefined;
    if (key === 'd') return deny;
    if (key === 'a' && may('approve_once')) return approveOnce;
    return key === 'e' && may('approve_once') ? () => setOpen('edit') : undefined;
  };
  // Single keys only while the card itself has the focus: in a field they are letters, elsewhere they do nothing.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== card.current || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const act = actOf(event.key);
    if (act === undefined) return;
    // What a key opens here takes the focus at once: the letter would be written into what is to be signed.
    event.preventDefault();
    act();
  };

  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      style={agentHue(approval.agentId)}
      className="rounded-lg border border-amber-line bg-surface shadow-card focus-visible:outline-offset-1"
    >
      <CardHead id={titleId} approval={approval} agentName={agentName} place={place}>
        <bdi>{agentName}</bdi> {verbFor(approval.toolName)}{' '}
        {verbFor(approval.toolName) === 'wants to use' ? (
          <code className="font-normal">{approval.toolName}</code>
        ) : null}
      </CardHead>

      <div className="space-y-3 px-3.5 pt-3 pb-3.5">
        <div className="rounded-md border border-line bg-sunken px-3 py-2">
          <CallView toolName={approval.toolName} args={approval.arguments} preview={approval.preview} />
        </div>

        <Circumstances approval={approval} />
        <DenyRow reason={reason} disabled={!armed} onReason={setReason} onDeny={deny} />
        {open === 'nothing' ? (
          <>
            <div className="flex flex-wrap gap-2">
              {may('approve_once') ? (
                <Button look="primary" icon="check" disabled={!armed} onClick={approveOnce}>
                  Approve once
                </Button>
              ) : null}
              {may('approve_session') ? (
                <Button disabled={!armed} onClick={approveChat}>
                  Approve for this chat
                </Button>
              ) : null}
              {may('approve_always') && approval.proposedRule !== undefined ? (
                <Button disabled={!armed} onClick={() => setOpen('always')}>
                  Always…
                </Button>
              ) : null}
              {may('approve_once') ? (
                <Button look="quiet" icon="edit" disabled={!armed} onClick={() => setOpen('edit')}>
                  Edit
                </Button>
              ) : null}
            </div>
            {may('approve_session') ? (
              <ChatScope
                toolName={approval.toolName}
                agentName={agentName}
                pattern={pattern}
                narrow={narrow}
                onNarrow={setNarrow}
              />
            ) : null}
          </>
        ) : null}
        {open === 'edit' ? (
          <EditForm
            approval={approval}
            disabled={!armed}
            onCancel={() => setOpen('nothing')}
            onApprove={(args) => void answer({ decision: 'approve', scope: 'once', arguments: args })}
          />
        ) : null}
        {open === 'always' && approval.proposedRule !== undefined ? (
          <AlwaysForm
            proposed={approval.proposedRule}
            matches={matches}
            disabled={!armed}
            onCancel={() => setOpen('nothing')}
            onSign={(rule) => void answer({ decision: 'approve', scope: 'always', rule })}
          />
        ) : null}
        <SignatureLine signed={false}>
          <span className="flex items-center justify-between gap-2">
            <span className="text-ink-3">Nothing runs until you sign.</span>
            {onNext === undefined ? null : (
              <button type="button" onClick={onNext} className="font-medium text-blue hover:underline">
                Later, show next
              </button>
            )}
          </span>
        </SignatureLine>
      </div>
    </section>
  );
}
