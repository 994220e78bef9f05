import type { ApprovalView } from '@countersign/client';
import type { Question } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';
import { Visible } from '../ui/visible.js';
import { CardHead } from './card-head.js';
import { useArmed } from './use-armed.js';

/** A question to be answered with words. Nothing is signed here; choices only fill the field. */
export function QuestionCard({
  approval,
  question,
  agentName,
  place,
  onAnswer,
  onRefuse,
}: {
  approval: ApprovalView;
  question: Question;
  agentName: string;
  place?: string | undefined;
  onAnswer: (words: string) => Promise<void>;
  onRefuse: () => Promise<void>;
}): ReactElement {
  const [words, setWords] = useState('');
  const [sending, setSending] = useState(false);
  const armed = useArmed(approval.approvalId) && !sending;
  const titleId = useId();
  const send = async (work: () => Promise<void>): Promise<void> => {
    setSending(true);
    await work();
    setSending(false);
  };
  return (
    <section aria-labelledby={titleId} className="rounded-lg border border-amber-line bg-surface shadow-card">
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
