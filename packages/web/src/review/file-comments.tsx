import { type ReactElement, useState } from 'react';
import type { Comments } from '../approvals/use-comments.js';
import { TextArea, TextField } from '../form/field.js';
import { Form } from '../form/form.js';
import { Visible } from '../text/visible.js';
import { Button, IconButton } from '../ui/button.js';
import { reviewWords } from '../words/review.js';

const LONGEST = 2000;

/** What a person wrote about a file, and the form for more. `line`: the number that they clicked; undefined while the form is closed. */
export function FileComments({
  path,
  comments: { all, keep },
  line,
  onLine,
}: {
  path: string;
  comments: Comments;
  line: string | undefined;
  onLine: (line: string | undefined) => void;
}): ReactElement {
  const [text, setText] = useState('');
  const number = Number(line);
  const isLine = line === '' || (Number.isInteger(number) && number > 0);
  const add = (): void => {
    keep([...all, { path, ...(line === '' ? {} : { line: number }), text: text.trim() }]);
    setText('');
    onLine(undefined);
  };
  return (
    <>
      <ul className="space-y-1 empty:hidden">
        {all.map((comment) =>
          comment.path !== path ? null : (
            <li
              key={`${comment.line} ${comment.text}`}
              className="flex items-baseline gap-2 rounded-md bg-amber-soft px-2"
            >
              <span className="shrink-0 text-ink-2">
                {comment.line === undefined ? reviewWords.wholeFile : reviewWords.line(comment.line)}
              </span>
              <span className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
                <Visible text={comment.text} />
              </span>
              <IconButton
                icon="cross"
                label={reviewWords.removeComment}
                onClick={() => keep(all.filter((each) => each !== comment))}
              />
            </li>
          ),
        )}
      </ul>
      {line === undefined ? (
        <Button size="small" icon="edit" onClick={() => onLine('')}>
          {reviewWords.comment}
        </Button>
      ) : (
        <Form
          submit={reviewWords.addComment}
          disabled={text.trim() === '' || !isLine}
          onCancel={() => onLine(undefined)}
          onSubmit={add}
        >
          <TextArea
            label={reviewWords.commentText}
            hint={reviewWords.commentHint}
            rows={2}
            maxLength={LONGEST}
            autoFocus
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <TextField
            label={reviewWords.commentLine}
            inputMode="numeric"
            value={line}
            {...(isLine ? {} : { error: reviewWords.noLine })}
            onChange={(event) => onLine(event.target.value.trim())}
          />
        </Form>
      )}
    </>
  );
}
