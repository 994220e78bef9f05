import { fieldProblem, readField, type FormContent, type FormField, type FormValue } from '@countersign/protocol';
import { edit, EMPTY_FIELD, fieldOf, type Field } from './field.js';
import type { Key, KeyName } from './key.js';
import { screenWords } from '../../words/screen.js';

/** What a person has entered for one field: text, or the selected options. `row` is the highlighted option. */
export interface FormEntry {
  readonly text: Field;
  readonly picked: readonly string[];
  readonly row: number;
}

/** A form that is being filled in, one field at a time. After the last field, `at` is their number, and Enter sends the form. */
export interface FormDraft {
  readonly entries: readonly FormEntry[];
  readonly at: number;
  /** What is wrong with the current field. */
  readonly problem?: string;
}

/** The options of a field. Empty for text fields. */
export function optionsOf({ kind, choices = [] }: FormField): readonly { value: string; label: string }[] {
  if (kind === 'boolean') return BOOLEAN;
  return kind === 'choice' || kind === 'choices' ? choices : [];
}

const BOOLEAN = [
  { value: 'true', label: screenWords.formYes },
  { value: 'false', label: screenWords.formNo },
];

/** A new form, with the server's defaults. */
export function newForm(fields: readonly FormField[]): FormDraft {
  return { entries: fields.map(newEntry), at: 0 };
}

function newEntry(field: FormField): FormEntry {
  const { default: usual } = field;
  const options = optionsOf(field);
  if (options.length === 0)
    return { text: usual === undefined ? EMPTY_FIELD : fieldOf(String(usual)), picked: [], row: 0 };
  const picked = usual === undefined ? [] : Array.isArray(usual) ? usual : [String(usual)];
  const row = Math.max(
    0,
    options.findIndex(({ value }) => picked.includes(value)),
  );
  return { text: EMPTY_FIELD, picked, row };
}

/** The value of a field. Undefined if it is empty. */
export function valueOf(field: FormField, { text, picked }: FormEntry): FormValue | undefined {
  switch (field.kind) {
    case 'boolean':
      return picked[0] === undefined ? undefined : picked[0] === 'true';
    case 'choice':
      return picked[0];
    case 'choices':
      return picked.length === 0 ? undefined : [...picked];
    case 'text':
    case 'number':
    case 'integer':
      return readField(field, text.text);
  }
}

/** The completed form. Empty fields are left out. */
export function contentOf(fields: readonly FormField[], { entries }: FormDraft): FormContent {
  const filled = fields.flatMap((field, index): [string, FormValue][] => {
    const entry = entries[index];
    const value = entry === undefined ? undefined : valueOf(field, entry);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(filled);
}

type FormStep = { kind: 'draft'; draft: FormDraft } | { kind: 'left' } | { kind: 'send' };

/** Applies a key to a form. Enter and Tab validate the field and continue; Esc and Shift-Tab go back. */
export function pressInForm(fields: readonly FormField[], draft: FormDraft, key: Key): FormStep {
  const { entries, at } = draft;
  const moved = (next: number): FormStep => ({ kind: 'draft', draft: { entries, at: next } });
  if (key.kind === 'name' && (key.name === 'escape' || key.name === 'backtab'))
    return at === 0 ? (key.name === 'escape' ? { kind: 'left' } : moved(0)) : moved(at - 1);
  const field = fields[at];
  const entry = entries[at];
  const isEnter = key.kind === 'name' && key.name === 'enter';
  if (field === undefined || entry === undefined) return isEnter ? { kind: 'send' } : { kind: 'draft', draft };
  if (isEnter || (key.kind === 'name' && key.name === 'tab')) {
    const problem = fieldProblem(field, valueOf(field, entry));
    return problem === undefined ? moved(at + 1) : { kind: 'draft', draft: { entries, at, problem } };
  }
  const changed = optionsOf(field).length === 0 ? typed(entry, key) : chosen(field, entry, key);
  if (changed === undefined) return { kind: 'draft', draft };
  return { kind: 'draft', draft: { entries: entries.with(at, changed), at } };
}

function typed(entry: FormEntry, key: Key): FormEntry | undefined {
  const text = edit(entry.text, key);
  return text === undefined ? undefined : { ...entry, text };
}

const STEPS: Partial<Record<KeyName, number>> = { up: -1, left: -1, down: 1, right: 1 };

/** Arrows move, Space selects or clears the highlighted option. */
function chosen(field: FormField, entry: FormEntry, key: Key): FormEntry | undefined {
  const options = optionsOf(field);
  const step = key.kind === 'name' ? STEPS[key.name] : undefined;
  if (step !== undefined) return { ...entry, row: Math.min(options.length - 1, Math.max(0, entry.row + step)) };
  const value = options[entry.row]?.value;
  if (key.kind !== 'char' || key.text !== ' ' || value === undefined) return undefined;
  if (entry.picked.includes(value)) return { ...entry, picked: entry.picked.filter((each) => each !== value) };
  return { ...entry, picked: field.kind === 'choices' ? [...entry.picked, value] : [value] };
}
