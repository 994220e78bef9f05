import { abandonedText, type Reader, yourPart } from '@countersign/client';
import { formAnswer, type Question } from '@countersign/protocol';
import { type ReactElement, useId, useRef, useState } from 'react';
import { Button } from '../../ui/button.js';
import { TextArea } from '../../form/field.js';
import { ClaimedContext } from '../../calls/claimed-context.js';
import { IconLine } from '../../text/icon-line.js';
import { Visible } from '../../text/visible.js';
import { SigningLines } from '../card/circumstances.js';
import { CardFrame, type CardPlace } from '../card/card-frame.js';
import { defaultsOf, readTyped, type Typed } from './form-values.js';
import { QuestionFields } from './question-form.js';
import { useArmed } from '../card/use-armed.js';
import { useEndShown } from '../card/use-end-shown.js';
import { approvalWords } from '../../words/approvals.js';

/** A question that is answered with text or a form. Nothing is approved here; choices only fill the field. */
export function QuestionCard({
  question,
  me,
  onAnswer,
  onRefuse,
  ...place
}: CardPlace & {
  question: Question;
  me: Reader | undefined;
  onAnswer: (words: string) => Promise<unknown>;
  onRefuse: (reason: string) => Promise<unknown>;
}): ReactElement {
  const [words, setWords] = useState('');
  const { form } = question;
  const fields = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState<Typed>(() => defaultsOf(form?.fields ?? []));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [sending, setSending] = useState(false);
  const isNew = !useArmed(place.approval.approvalId);
  const isArmed = !isNew && !sending;
  const part = yourPart(place.approval, me);
  const abandoned = abandonedText(place.approval);
  const end = useEndShown(question.form?.lead ?? question.text);
  // An answer may approve what the question shows.
  const mustRead = question.approves === true && !end.wasShown;
  const noteId = useId();
  const send = async (work: () => Promise<unknown>): Promise<void> => {
    setSending(true);
    await work();
    setSending(false);
  };
  const answer = (): void => {
    if (form === undefined) return void send(() => onAnswer(words.trim()));
    const read = readTyped(form.fields, typed);
    setProblems(read.problems);
    // The field may be outside the visible part of the card.
    requestAnimationFrame(() => fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    if (Object.keys(read.problems).length === 0) void send(() => onAnswer(formAnswer(read.content)));
  };
  return (
    <CardFrame
      {...place}
      title={
        <>
          <bdi>{place.agentName}</bdi> {approvalWords.asks}
        </>
      }
      end={end}
      note={mustRead && isArmed ? approvalWords.scrollFirst : noteOf(question)}
      noteId={noteId}
      mayDeny={isArmed}
      isForYou={part === 'decide'}
      isReadOnly={part === 'watch'}
      isNew={isNew}
      onDeny={(reason) => void send(() => onRefuse(reason))}
      onKey={() => undefined}
      primary={
        <Button
          look="primary"
          aria-describedby={noteId}
          disabled={!isArmed || part !== 'decide' || mustRead || (form === undefined && words.trim() === '')}
          onClick={answer}
        >
          {approvalWords.answer}
        </Button>
      }
    >
      <p className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
        <Visible text={form?.lead ?? question.text} />
      </p>

      {question.choices.length === 0 || form !== undefined ? null : (
        <div className="flex flex-wrap gap-2">
          {question.choices.map((choice) => (
            <Button key={choice} size="small" onClick={() => setWords(choice)}>
              <Visible text={choice} />
            </Button>
          ))}
        </div>
      )}
      {form === undefined ? (
        <TextArea
          label={approvalWords.yourAnswer}
          rows={2}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      ) : (
        <div ref={fields}>
          <QuestionFields fields={form.fields} typed={typed} problems={problems} onChange={setTyped} />
        </div>
      )}
      <div className="space-y-1 text-[0.8125rem] leading-snug">
        <ClaimedContext approval={place.approval} />
        {abandoned === undefined ? null : (
          <IconLine icon="alert" look="font-medium text-amber">
            <Visible text={abandoned} strict />
          </IconLine>
        )}
        <SigningLines approval={place.approval} me={me} />
      </div>
    </CardFrame>
  );
}

function noteOf({ form, approves }: Question): string {
  if (approves === true) return approvalWords.planNote;
  return form === undefined ? approvalWords.answerNote : approvalWords.formNote;
}
