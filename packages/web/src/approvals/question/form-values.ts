import { fieldProblem, readField, type FormContent, type FormField, type FormValue } from '@countersign/protocol';

/** The state of the controls: text, a checkbox, or the selected options. */
export type Typed = Readonly<Record<string, string | boolean | readonly string[]>>;

export function defaultsOf(fields: readonly FormField[]): Typed {
  return Object.fromEntries(
    fields.map(({ name, kind, default: usual }): [string, Typed[string]] => {
      if (kind === 'boolean') return [name, usual === true];
      if (kind === 'choices') return [name, Array.isArray(usual) ? usual : []];
      return [name, usual === undefined ? '' : String(usual)];
    }),
  );
}

/** The values to send, and the errors by field. Empty fields are omitted. */
export function readTyped(
  fields: readonly FormField[],
  typed: Typed,
): { content: FormContent; problems: Record<string, string> } {
  const content: FormContent = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const value = valueOf(field, typed[field.name] ?? '');
    const problem = fieldProblem(field, value);
    if (problem !== undefined) problems[field.name] = problem;
    else if (value !== undefined) content[field.name] = value;
  }
  return { content, problems };
}

function valueOf(field: FormField, typed: string | boolean | readonly string[]): FormValue | undefined {
  if (typeof typed === 'boolean') return typed;
  if (typeof typed !== 'string') return typed.length === 0 && !field.isRequired ? undefined : [...typed];
  return readField(field, typed);
}
