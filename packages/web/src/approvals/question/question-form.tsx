import type { FormField } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { Button } from '../../ui/button.js';
import { Checkbox, Select, TextArea, TextField } from '../../form/field.js';
import { Visible } from '../../text/visible.js';
import type { Typed } from './form-values.js';
import { approvalWords } from '../../words/approvals.js';

/** The fields of a server's question as form controls. */
export function QuestionFields({
  fields,
  typed,
  problems,
  onChange,
}: {
  fields: readonly FormField[];
  typed: Typed;
  problems: Readonly<Record<string, string>>;
  onChange: (typed: Typed) => void;
}): ReactElement {
  return (
    <div className="space-y-3">
      {fields.map((field) => {
        const control = (
          <Field
            key={field.name}
            field={field}
            value={typed[field.name] ?? ''}
            error={problems[field.name]}
            onChange={(value) => onChange({ ...typed, [field.name]: value })}
          />
        );
        return field.quote === undefined ? (
          control
        ) : (
          <Paragraph key={field.name} quote={field.quote} label={field.label}>
            {control}
          </Paragraph>
        );
      })}
    </div>
  );
}

/** A part of what the form is about, with a field that opens below it. */
function Paragraph({ quote, label, children }: { quote: string; label: string; children: ReactElement }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="space-y-1 border-l-2 border-line-2 pl-2.5">
      <p className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
        <Visible text={quote} />
      </p>
      {isOpen ? (
        children
      ) : (
        <Button look="quiet" size="small" aria-label={label} onClick={() => setIsOpen(true)}>
          {approvalWords.comment}
        </Button>
      )}
    </div>
  );
}

/** Characters. A longer text may have several lines. */
const LONG_TEXT = 1000;
const TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'text' } as const;

function Field({
  field,
  value,
  error,
  onChange,
}: {
  field: FormField;
  value: string | boolean | readonly string[];
  error: string | undefined;
  onChange: (value: string | boolean | readonly string[]) => void;
}): ReactElement {
  const { kind, label, hint, choices = [], isRequired, format, least, most } = field;
  const named = isRequired ? label : approvalWords.optional(label);
  const shown = hint === undefined ? {} : { hint: <Visible text={hint} /> };
  const text = typeof value === 'string' ? value : '';
  switch (kind) {
    case 'boolean':
      return (
        <Checkbox
          label={<Visible text={label} />}
          {...shown}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case 'choice':
      return (
        <Select
          label={named}
          {...shown}
          error={error}
          value={text}
          options={[{ value: '', label: approvalWords.noChoice }, ...choices]}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'choices': {
      const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
      return (
        <fieldset className="space-y-1">
          <legend className="mb-1 text-sm font-medium">
            <Visible text={named} />
          </legend>
          {choices.map((choice) => (
            <Checkbox
              key={choice.value}
              label={<Visible text={choice.label} />}
              checked={chosen.includes(choice.value)}
              onChange={(event) =>
                onChange(
                  event.target.checked ? [...chosen, choice.value] : chosen.filter((each) => each !== choice.value),
                )
              }
            />
          ))}
          {error === undefined && hint === undefined ? null : (
            <p className={error === undefined ? 'text-[0.8125rem] text-ink-3' : 'text-[0.8125rem] text-red'}>
              <Visible text={error ?? hint ?? ''} />
            </p>
          )}
        </fieldset>
      );
    }
    case 'number':
    case 'integer':
      return (
        <TextField
          label={named}
          {...shown}
          error={error}
          type="number"
          step={kind === 'integer' ? 1 : 'any'}
          min={least}
          max={most}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'text':
      if (format === undefined && most !== undefined && most >= LONG_TEXT)
        return (
          <TextArea
            label={named}
            {...shown}
            error={error}
            rows={3}
            maxLength={most}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      return (
        <TextField
          label={named}
          {...shown}
          error={error}
          type={format === undefined ? 'text' : TYPES[format]}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}
