import { FIELD_TEXTS } from './field-texts.js';

type Json = Record<string, unknown>;

/** Adds a description to every property of a JSON Schema. `at`: the enclosing schemas and properties, outermost first. */
export function describeFields(schema: unknown, at: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((each) => describeFields(each, at));
  if (!isJson(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key !== 'properties' || !isJson(value)) return [key, describeFields(value, at)];
    const properties = Object.entries(value).map(([name, inner]): [string, unknown] => {
      const described = describeFields(inner, [...at, name]);
      const description = textFor(name, at);
      return [name, isJson(described) && description !== undefined ? { ...described, description } : described];
    });
    return [key, Object.fromEntries(properties)];
  });
  return Object.fromEntries(entries);
}

function textFor(name: string, at: readonly string[]): string | undefined {
  const around = [...at].reverse().map((outer) => FIELD_TEXTS[`${outer}.${name}`]);
  return around.find((text) => text !== undefined) ?? FIELD_TEXTS[name];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
