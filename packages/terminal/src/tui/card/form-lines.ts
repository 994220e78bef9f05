import type { FormField, QuestionForm } from '@countersign/protocol';
import { optionsOf, valueOf, type FormDraft, type FormEntry } from '../keys/form.js';
import { fieldLines } from '../layout/field-lines.js';
import { cutProse, span, wrapProse, wrapWords, type Line } from '../../text/spans.js';
import { cardWords } from '../../words/cards.js';
import { screenWords } from '../../words/screen.js';

/** Few, so that a line of the question stays visible on the smallest screen. */
const MAX_ROWS = 3;

/** The question and its fields, with what has been entered. While it is being filled in, starts at the field before the current one. */
export function formBody({ lead, fields }: QuestionForm, draft: FormDraft | undefined, width: number): Line[] {
  const indented = (text: string, indent: string, dim = false): Line[] =>
    wrapProse(text, width - indent.length - 2).map((line): Line => [{ text: indent }, { text: line, dim }]);
  const isDone = draft !== undefined && draft.at >= fields.length;
  return [
    ...indented(lead, '  '),
    ...fields.flatMap((field, index) => {
      if (draft !== undefined && !isDone && index < draft.at - 1) return [];
      const entry = draft?.entries[index];
      const filled = entry === undefined ? '' : shownValue(field, entry);
      const label = `${field.label}${cardWords.fieldHint(undefined, undefined, field.isRequired)}`;
      const marker = draft?.at === index ? '  › ' : '    ';
      return [
        ...(field.quote === undefined ? [] : indented(field.quote, '  │ ')),
        ...indented(filled === '' ? label : `${label}: ${filled}`, marker),
        ...(field.hint === undefined || isDone ? [] : indented(field.hint, '      ', true)),
      ];
    }),
  ];
}

/** The current field of a form, what is wrong with it, and the keys. */
export function formFoot(fields: readonly FormField[], draft: FormDraft, width: number, isFocused: boolean): Line[] {
  const words = (text: string, look: Parameters<typeof span>[1] = {}): Line[] =>
    wrapWords(text, width - 2).map((line): Line => [{ text: ' ' }, span(line, look)]);
  const field = fields[draft.at];
  const entry = draft.entries[draft.at];
  if (field === undefined || entry === undefined) return words(screenWords.formDone, { colour: 'do' });
  const options = optionsOf(field);
  const place = screenWords.formPlace(draft.at + 1, fields.length, screenWords.formKind(field.kind, field.isRequired));
  const label = cutProse(field.label, Math.max(8, width - place.length - 3));
  return [
    [{ text: ' ' }, { text: label, bold: true }, span(place, { dim: true })],
    ...(options.length === 0 ? textLines(entry, width, isFocused) : optionLines(field, entry, width)),
    ...(draft.problem === undefined ? [] : words(draft.problem, { colour: 'bad' })),
    ...words(options.length === 0 ? screenWords.formTextHint : screenWords.formOptionHint, { dim: true }),
  ];
}

function textLines({ text }: FormEntry, width: number, isFocused: boolean): Line[] {
  return fieldLines(text, width - 5, MAX_ROWS, isFocused, 'prose').map((line, index): Line => [
    span(index === 0 ? ' › ' : '   ', { colour: 'do' }),
    ...line,
  ]);
}

/** A window of options around the highlighted one. */
function optionLines(field: FormField, { picked, row }: FormEntry, width: number): Line[] {
  const options = optionsOf(field);
  const first = Math.max(0, Math.min(row - 1, options.length - MAX_ROWS));
  const [on, off] = field.kind === 'choices' ? ['[x]', '[ ]'] : ['(•)', '( )'];
  return options.slice(first, first + MAX_ROWS).map(({ value, label }, index): Line => {
    const at = first + index;
    const more = screenWords.formRow(at + 1, options.length);
    const text = `${picked.includes(value) ? on : off} ${cutProse(label, width - 10 - more.length)}`;
    return [
      span(at === row ? ' › ' : '   ', { colour: 'do' }),
      { text, inverse: at === row },
      ...(at === row && options.length > MAX_ROWS ? [span(` ${more}`, { dim: true })] : []),
    ];
  });
}

function shownValue(field: FormField, entry: FormEntry): string {
  const value = valueOf(field, entry);
  if (value === undefined) return '';
  const labels = optionsOf(field).flatMap(({ value: each, label }) => (entry.picked.includes(each) ? [label] : []));
  return labels.length > 0 ? labels.join(', ') : String(value);
}
