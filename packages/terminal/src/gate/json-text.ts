import { isDeepStrictEqual } from 'node:util';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';

export type JsonObject = Record<string, unknown>;

/** The object in a JSON file. A file that we could not write back unchanged, such as one with comments, is refused. */
export function parseObject(text: string | undefined, file: string): JsonObject {
  if (text === undefined || text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CommandError(hasComments(text) ? gate.hasComments(file) : gate.notJson(file), undefined, cause);
  }
  if (isObject(value)) return value;
  throw new CommandError(gate.notAnObject(file));
}

/** Writes the object in the indentation of the text that it replaces; a text that already says the same stays as it is. */
export function writeObject(value: JsonObject, before: string | undefined): string {
  if (before !== undefined && before.trim() !== '' && isDeepStrictEqual(JSON.parse(before), value)) return before;
  const indent = /^\{\r?\n(?<indent>[ \t]+)"/.exec(before ?? '')?.groups?.['indent'] ?? '  ';
  const end = before === undefined || before.endsWith('\n') ? '\n' : '';
  return `${JSON.stringify(value, null, indent)}${end}`;
}

/** For our own files. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at a key; `{}` if it is absent. */
export function objectAt(parent: JsonObject, key: string, file: string): JsonObject {
  const value = parent[key];
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw new CommandError(gate.wrongType(file, key, 'an object'));
}

/** The list at a key; `[]` if it is absent. */
export function listAt(parent: JsonObject, key: string, file: string): readonly unknown[] {
  const value = parent[key];
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new CommandError(gate.wrongType(file, key, 'a list'));
}

/** Sets a key, or removes it if the value is empty, so that removing our parts leaves no empty objects behind. */
export function withKey(parent: JsonObject, key: string, value: unknown): JsonObject {
  const isEmpty =
    value === undefined ||
    (Array.isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0);
  if (!isEmpty) return { ...parent, [key]: value };
  return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== key));
}

/** Only for the error message: a comment outside of strings. */
function hasComments(text: string): boolean {
  return /\/\/|\/\*/.test(text.replace(/"(?:[^"\\\n]|\\.)*"/g, '""'));
}
