import { type ReactElement, useState } from 'react';
import { TextArea } from './field.js';
import { Form } from './form.js';

interface FileFormProps {
  words: { lead: string; file: string; paste: string; tooLarge: string; submit: string };
  /** The accepted file types, as in `<input accept>`. */
  accept: string;
  largestBytes: number;
  /** Returns an error for the field, or undefined. */
  onSubmit: (text: string) => Promise<string | undefined>;
  onCancel: () => void;
}

/** Reads a file that a person picks, or its pasted text. */
export function FileForm({ words, accept, largestBytes, onSubmit, onCancel }: FileFormProps): ReactElement {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const isTooLarge = file.size > largestBytes;
    setError(isTooLarge ? words.tooLarge : undefined);
    setText(isTooLarge ? '' : await file.text());
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    setError(await onSubmit(text));
    setBusy(false);
  };
  return (
    <Form submit={words.submit} onCancel={onCancel} disabled={busy || text.trim() === ''} onSubmit={submit}>
      <p className="text-sm text-ink-2">{words.lead}</p>
      <label className="block text-sm font-medium">
        {words.file}
        <input
          type="file"
          accept={accept}
          onChange={(event) => void take(event.target.files?.[0])}
          className="mt-1 block w-full text-sm font-normal text-ink-2 file:mr-3 file:min-h-9 file:rounded-md file:border file:border-line-2 file:bg-surface file:px-3.5 file:text-sm file:font-medium file:text-ink"
        />
      </label>
      <TextArea
        label={words.paste}
        mono
        rows={10}
        value={text}
        error={error}
        onChange={(event) => {
          setText(event.target.value);
          setError(undefined);
        }}
      />
    </Form>
  );
}
