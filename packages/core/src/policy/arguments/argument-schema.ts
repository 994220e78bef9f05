import { isRecord } from './prepare-arguments.js';

/** One argument in a tool's JSON Schema. Undefined parts are unknown. */
export interface ArgumentSchema {
  readonly types: ReadonlySet<string> | undefined;
  /** The only possible values. */
  readonly values: readonly unknown[] | undefined;
  /** The schema of list items. */
  readonly items?: ArgumentSchema;
}

/** The names of a tool's arguments, or undefined if its schema doesn't list all of them. */
export function argumentNames(schema: unknown): readonly string[] | undefined {
  if (!isRecord(schema) || INCOMPLETE.some((key) => key in schema)) return undefined;
  const { properties, additionalProperties } = schema;
  if (!isRecord(properties)) return additionalProperties === false ? [] : undefined;
  if (additionalProperties === true || isRecord(additionalProperties)) return undefined;
  const names = Object.keys(properties);
  return names.length === 0 && additionalProperties !== false ? undefined : names;
}

const INCOMPLETE = ['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties', 'if'];

export function requiredNames(schema: unknown): readonly string[] {
  const required = isRecord(schema) ? schema['required'] : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** `none`: there is no such argument. A name with dots is a path into nested objects and list items. */
export function findArgument(schema: unknown, name: string): ArgumentSchema | 'none' {
  const names = argumentNames(schema);
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  if (Object.hasOwn(properties, name)) return describe(properties[name]);
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const head = name.slice(0, dot);
    if (Object.hasOwn(properties, head)) return findArgument(itemsOf(properties[head]), name.slice(dot + 1));
  }
  return names === undefined ? UNKNOWN : 'none';
}

const UNKNOWN: ArgumentSchema = { types: undefined, values: undefined };

function itemsOf(schema: unknown): unknown {
  return isRecord(schema) && isRecord(schema['items']) ? itemsOf(schema['items']) : schema;
}

function describe(schema: unknown): ArgumentSchema {
  if (!isRecord(schema)) return UNKNOWN;
  const union = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(union)) return join(union.map(describe));
  const { type, enum: listed } = schema;
  const values = 'const' in schema ? [schema['const']] : Array.isArray(listed) ? listed : undefined;
  if ('$ref' in schema || 'allOf' in schema) return UNKNOWN;
  const names: unknown[] = Array.isArray(type) ? type : [type];
  const types = names.every((name) => typeof name === 'string') ? new Set(names) : undefined;
  return {
    types: types ?? (values && new Set(values.map((value) => (value === null ? 'null' : typeof value)))),
    values,
    ...(isRecord(schema['items']) ? { items: describe(schema['items']) } : {}),
  };
}

function join(parts: readonly ArgumentSchema[]): ArgumentSchema {
  const types = parts.map((part) => part.types);
  const values = parts.map((part) => part.values);
  return {
    types: types.every((one) => one !== undefined) ? new Set(types.flatMap((one) => [...one])) : undefined,
    values: values.every((one) => one !== undefined) ? values.flat() : undefined,
  };
}
