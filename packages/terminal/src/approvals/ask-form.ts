import { fieldProblem, readField, type FormContent, type FormField, type FormValue } from '@countersign/protocol';
import { proseLine } from '../text/plain-text.js';
import type { Typed } from '../input/keyboard.js';
import { cardWords } from '../words/cards.js';

export type FilledForm = { kind: 'filled'; content: FormContent } | { kind: 'unanswered' } | { kind: 'left' | 'gone' };

/** Asks for each field, and again while its value is invalid. An empty line takes the default or skips the field. */
export async function askForm(
  fields: readonly FormField[],
  { print, ask }: { print: (text: string) => void; ask: () => Promise<Typed> },
): Promise<FilledForm> {
  const content: FormContent = {};
  for (const field of fields) {
    print(describeField(field));
    for (;;) {
      const typed = await ask();
      if (typed.kind === 'cancelled') return { kind: 'gone' };
      if (typed.kind !== 'line') return { kind: 'left' };
      const value = withNumbers(field, typed.text) ?? field.default;
      if (value === undefined && field.isRequired) return { kind: 'unanswered' };
      const problem = fieldProblem(field, value);
      if (problem === undefined) {
        if (value !== undefined) content[field.name] = value;
        break;
      }
      print(`  ${problem}\n`);
    }
  }
  return { kind: 'filled', content };
}

/** Accepts the number of an option instead of its text. */
function withNumbers(field: FormField, text: string): FormValue | undefined {
  const byNumber = (word: string): string => {
    const values = (field.choices ?? []).map(({ value }) => value);
    return values.includes(word) ? word : (values[Number(word) - 1] ?? word);
  };
  const value = readField(field, text);
  if (field.kind === 'choice' && typeof value === 'string') return byNumber(value);
  return field.kind === 'choices' && Array.isArray(value) ? value.map(byNumber) : value;
}

function describeField(field: FormField): string {
  const usual = field.default === undefined ? undefined : proseLine(String(field.default));
  const lines = [
    ...(field.quote === undefined ? [] : ['', ...field.quote.split('\n').map((line) => `  │ ${proseLine(line)}`)]),
    `  ${proseLine(field.label)}${cardWords.fieldHint(field.kind, usual, field.isRequired)}`,
    ...(field.hint === undefined ? [] : [`    ${proseLine(field.hint)}`]),
    ...(field.choices ?? []).map(({ label }, at) => `    ${at + 1}: ${proseLine(label)}`),
  ];
  return `${lines.join('\n')}\n`;
}
