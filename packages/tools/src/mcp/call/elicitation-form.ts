import type { FormField, QuestionForm } from '@countersign/protocol';

type Schema = Record<string, unknown>;

const MAX_FIELDS = 50;
const MAX_CHOICES = 200;
const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

/** The form for a server's question. Undefined if a field has an unknown kind or too many choices; the question is then answered with text. */
export function elicitationForm(
  lead: string,
  fields: readonly [string, Schema][],
  required: readonly string[],
): QuestionForm | undefined {
  if (fields.length === 0 || fields.length > MAX_FIELDS) return undefined;
  const read = fields.map(([name, schema]) => fieldOf(name, schema, required.includes(name)));
  const known = read.filter((field) => field !== undefined);
  return known.length === read.length ? { lead, fields: known } : undefined;
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): FormField | undefined {
  const { title, description, default: usual } = schema;
  const common = {
    name,
    label: typeof title === 'string' && title.trim() !== '' ? title : name,
    ...(typeof description === 'string' ? { hint: description } : {}),
    isRequired,
  };
  switch (schema['type']) {
    case 'boolean':
      return { ...common, kind: 'boolean', ...(typeof usual === 'boolean' ? { default: usual } : {}) };
    case 'number':
    case 'integer':
      return {
        ...common,
        kind: schema['type'],
        ...(typeof usual === 'number' ? { default: usual } : {}),
        ...limits(schema, 'minimum', 'maximum'),
      };
    case 'string': {
      const choices = choicesOf(schema);
      const given = typeof usual === 'string' ? { default: usual } : {};
      if (choices !== undefined)
        return choices.length > MAX_CHOICES ? undefined : { ...common, kind: 'choice', choices, ...given };
      const format = FORMATS.find((known) => known === schema['format']);
      return {
        ...common,
        kind: 'text',
        ...(format === undefined ? {} : { format }),
        ...given,
        ...limits(schema, 'minLength', 'maxLength'),
      };
    }
    case 'array': {
      const choices = choicesOf((schema['items'] ?? {}) as Schema);
      if (choices === undefined || choices.length > MAX_CHOICES) return undefined;
      const given = Array.isArray(usual) ? usual.filter((each) => typeof each === 'string') : undefined;
      return {
        ...common,
        kind: 'choices',
        choices,
        ...(given === undefined ? {} : { default: given }),
        ...limits(schema, 'minItems', 'maxItems'),
      };
    }
    default:
      return undefined;
  }
}

function limits(schema: Schema, least: string, most: string): Pick<FormField, 'least' | 'most'> {
  const [low, high] = [schema[least], schema[most]];
  return { ...(typeof low === 'number' ? { least: low } : {}), ...(typeof high === 'number' ? { most: high } : {}) };
}

/** `enum` with or without `enumNames`, or `oneOf`/`anyOf` with `const` and `title`. */
export function choicesOf(schema: Schema): FormField['choices'] {
  const { enum: values, enumNames: names, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    const label = (at: number): unknown => (Array.isArray(names) ? (names as unknown[])[at] : undefined);
    return values.map((value, at) => ({ value: String(value), label: String(label(at) ?? value) }));
  }
  const options: unknown = oneOf ?? anyOf;
  if (!Array.isArray(options)) return undefined;
  return options.map((option: Schema) => ({
    value: String(option['const']),
    label: String(option['title'] ?? option['const']),
  }));
}
