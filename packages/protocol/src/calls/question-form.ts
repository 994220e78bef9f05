import { z } from 'zod';
import { field, text } from '../input/field.js';
import { formTexts, type Bound } from './form-texts.js';

const choiceSchema = z.object({
  value: text('Value to answer with.'),
  label: text('Text to show instead of the value.'),
});

/** One field of a question with a form, such as MCP elicitation or a plan. */
const formFieldSchema = z.object({
  name: text('Name of the field.'),
  label: text('Text to show.'),
  hint: text('Description of the field.').exactOptional(),
  quote: text(
    'The text that the field is about, such as a paragraph to comment on. Show it before the field.',
  ).exactOptional(),
  kind: field(
    z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
    '`choice`: one of `choices`. `choices`: any number of them.',
  ),
  format: field(z.enum(['email', 'uri', 'date', 'date-time']).exactOptional(), 'Format of the text.'),
  isRequired: field(z.boolean(), 'Whether a value is needed.'),
  default: field(
    z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).exactOptional(),
    'Initial value of the field.',
  ),
  choices: field(z.array(choiceSchema).exactOptional(), 'Values to choose from.'),
  least: field(z.number().exactOptional(), 'Smallest number, length or count.'),
  most: field(z.number().exactOptional(), 'Largest number, length or count.'),
});
export type FormField = z.infer<typeof formFieldSchema>;

/** `lead` is the question without its fields, which `text` lists for screens without forms. */
export const questionFormSchema = z.object({
  lead: text('The question, without its fields.'),
  fields: field(z.array(formFieldSchema), 'Fields of the form, in order.'),
});
export type QuestionForm = z.infer<typeof questionFormSchema>;

export type FormValue = string | number | boolean | string[];
export type FormContent = Record<string, FormValue>;

/** Parses what a person typed for one field. Undefined if it is empty. */
export function readField(field: FormField, typed: string): FormValue | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  switch (field.kind) {
    case 'number':
    case 'integer':
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      if (/^(?:y|yes|true)$/i.test(text)) return true;
      return /^(?:n|no|false)$/i.test(text) ? false : text;
    case 'choices':
      return text.split(',').map((part) => part.trim());
    case 'text':
    case 'choice':
      return text;
  }
}

/** What is wrong with the value of a field, as a sentence. Undefined if it is valid. */
export function fieldProblem(field: FormField, value: unknown): string | undefined {
  if (value === undefined) return field.isRequired ? formTexts.missing : undefined;
  const values = (field.choices ?? []).map((choice) => choice.value);
  switch (field.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : formTexts.notBoolean;
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return formTexts.notNumber;
      if (field.kind === 'integer' && !Number.isInteger(value)) return formTexts.notInteger;
      return limitProblem(field, value, formTexts.numberLimit);
    case 'choice':
      return typeof value === 'string' && values.includes(value) ? undefined : formTexts.notChoice;
    case 'choices':
      if (!Array.isArray(value) || !value.every((each) => values.includes(each as string))) return formTexts.notChoices;
      return limitProblem(field, value.length, formTexts.countLimit);
    case 'text':
      if (typeof value !== 'string') return formTexts.notText;
      return formatProblem(field.format, value) ?? limitProblem(field, value.length, formTexts.lengthLimit);
  }
}

function limitProblem(
  { least, most }: FormField,
  size: number,
  text: (bound: Bound, limit: number) => string,
): string | undefined {
  if (least !== undefined && size < least) return text('at least', least);
  return most !== undefined && size > most ? text('at most', most) : undefined;
}

function formatProblem(format: FormField['format'], value: string): string | undefined {
  switch (format) {
    case 'email':
      return z.email().safeParse(value).success ? undefined : formTexts.notEmail;
    case 'uri':
      return z.url().safeParse(value).success ? undefined : formTexts.notUrl;
    case 'date':
      return z.iso.date().safeParse(value).success ? undefined : formTexts.notDate;
    case 'date-time':
      return z.iso.datetime({ offset: true }).safeParse(value).success ? undefined : formTexts.notDateTime;
    case undefined:
      return undefined;
  }
}

/** Serializes a completed form as the text that answers the question. */
export function formAnswer(content: FormContent): string {
  return JSON.stringify(content);
}

/**
 * Parses the text from `formAnswer`. `not-a-form`: it is not an object with only field names as keys. Omitted fields don't get defaults: the
 * person saw them and may have cleared them.
 */
export function readFormAnswer(fields: readonly FormField[], text: string): FormContent | 'not-a-form' | 'invalid' {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'not-a-form';
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(json);
  const names = new Set(fields.map(({ name }) => name));
  if (!parsed.success || !Object.keys(parsed.data).every((name) => names.has(name))) return 'not-a-form';
  const isValid = fields.every((field) => fieldProblem(field, parsed.data[field.name]) === undefined);
  return isValid ? (parsed.data as FormContent) : 'invalid';
}
