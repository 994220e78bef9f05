import type { ApprovalView } from '@countersign/client';
import type { Question } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { Avatar } from '../ui/avatar.js';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Ago } from '../ui/time.js';
import { Visible } from '../ui/visible.js';
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
      <header className="flex flex-wrap items-center gap-x-2 rounded-t-lg border-b border-line bg-amber-soft px-3.5 py-2">
        <Avatar id={approval.agentId} name={agentName} small />
        <h3 id={titleId} className="text-sm font-semibold">
          <bdi>{agentName}</bdi> asks
        </h3>
        <span className="ml-auto flex items-center gap-1 text-xs text-amber">
          <Icon name="hourglass" className="size-3.5" />
          asked <Ago at={approval.requestedAt} />
          {place === undefined ? null : <span className="font-semibold">· {place}</span>}
        </span>
      </header>
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
