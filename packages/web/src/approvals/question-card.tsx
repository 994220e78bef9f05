import type { ApprovalView } from '@countersign/client';
import type { Question } from '@countersign/protocol';
import { type KeyboardEvent, type ReactElement, useId, useRef, useState } from 'react';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';
import { Visible } from '../ui/visible.js';
import { CardHead } from './card-head.js';
import { useArmed } from './use-armed.js';
import { type TakeFocus, useTakeFocus } from './use-take-focus.js';

/** A question to be answered with words. Nothing is signed here; choices only fill the field. */
export function QuestionCard({
  approval,
  question,
  agentName,
  place,
  takeFocus,
  onAnswer,
  onRefuse,
  onNext,
}: {
  approval: ApprovalView;
  question: Question;
  agentName: string;
  place?: string | undefined;
  /** Whether the focus comes here when it appears; asked once. */
  takeFocus: { current: TakeFocus };
  onAnswer: (words: string) => Promise<void>;
  onRefuse: () => Promise<void>;
  onNext?: (() => void) | undefined;
}): ReactElement {
  const [words, setWords] = useState('');
  const [sending, setSending] = useState(false);
  const armed = useArmed(approval.approvalId) && !sending;
  const card = useRef<HTMLElement>(null);
  const titleId = useId();
  useTakeFocus(card, takeFocus);
  const send = async (work: () => Promise<void>): Promise<void> => {
    setSending(true);
    await work();
    setSending(false);
  };
  // As on every card: single keys only while the card itself has the focus.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== card.current || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.key === 'n') onNext?.();
    if (event.key === 'd' && armed) void send(onRefuse);
  };
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      className="rounded-lg border border-amber-line bg-surface shadow-card focus-visible:outline-offset-1"
    >
      <CardHead id={titleId} approval={approval} agentName={agentName} place={place}>
        <bdi>{agentName}</bdi> asks
      </CardHead>
      <div className="space-y-3 px-3.5 py-3">
        <p className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          <Visible text={question.text} />
        </p>
        {question.choices.length === 0 ? null : (
          <div className="flex flex-wrap gap-2">
            {question.choices.map((choice) => (
              <Button key={choice} size="small" onClick={() => setWords(choice)}>
                <Visible text={choice} />
              </Button>
            ))}
          </div>
        )}
        <TextArea label="Your answer" rows={2} value={words} onChange={(event) => setWords(event.target.value)} />
        <div className="flex flex-wrap gap-2">
          <Button look="danger" icon="ban" disabled={!armed} onClick={() => void send(onRefuse)}>
            Deny
          </Button>
          <Button
            look="primary"
            icon="send"
            disabled={!armed || words.trim() === ''}
            onClick={() => void send(() => onAnswer(words.trim()))}
          >
            Answer
          </Button>
        </div>
      </div>
    </section>
  );
}
