import type { Question } from '@countersign/protocol';
import { type ReactElement, useId, useState } from 'react';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';
import { Visible } from '../ui/visible.js';
import { CardFrame, type CardPlace } from './card-frame.js';
import { useArmed } from './use-armed.js';
import { useEndShown } from './use-end-shown.js';
import { t } from '../words/approvals.js';

/** A question that is answered with text. Nothing is approved here; choices only fill the field. */
export function QuestionCard({
  question,
  onAnswer,
  onRefuse,
  ...place
}: CardPlace & {
  question: Question;
  onAnswer: (words: string) => Promise<unknown>;
  onRefuse: (reason: string) => Promise<unknown>;
}): ReactElement {
  const [words, setWords] = useState('');
  const [sending, setSending] = useState(false);
  const isArmed = useArmed(place.approval.approvalId) && !sending;
  const end = useEndShown(question.text);
  const noteId = useId();
  const send = async (work: () => Promise<unknown>): Promise<void> => {
    setSending(true);
    await work();
    setSending(false);
  };
  return (
    <CardFrame
      {...place}
      title={
        <>
          <bdi>{place.agentName}</bdi> {t.asks}
        </>
      }
      end={end}
      note={t.answerNote}
      noteId={noteId}
      mayDeny={isArmed}
      onDeny={(reason) => void send(() => onRefuse(reason))}
      onKey={() => undefined}
      primary={
        <Button
          look="primary"
          aria-describedby={noteId}
          disabled={!isArmed || words.trim() === ''}
          onClick={() => void send(() => onAnswer(words.trim()))}
        >
          {t.answer}
        </Button>
      }
    >
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
      <TextArea label={t.yourAnswer} rows={2} value={words} onChange={(event) => setWords(event.target.value)} />
    </CardFrame>
  );
}
