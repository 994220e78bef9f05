import { CountersignError } from '@countersign/protocol';
import type { Value } from './queries/prepared.js';

declare global {
  interface String {
    /** No half of a surrogate pair. In Node since 20, in TypeScript's list from ES2024 on. */
    isWellFormed(): boolean;
  }
}

/**
 * Text as databases can hold it. SQLite's binding ends a text at its first NUL (and would then find `id` when asked for `id\0x`),
 * PostgreSQL refuses one, and both replace half of a surrogate pair, so that a call would no longer be the one that was signed (A7).
 * Such characters are written as SUB and four hex digits; a SUB itself too, so that reading is exact.
 */
const SUB = '\u001a';
const UNSAFE = /[\0\u001a]|\p{Surrogate}/gu;
const ESCAPED = /\u001a([0-9a-f]{4})/g;

export function toStored(text: string): string {
  if (!text.includes('\0') && !text.includes(SUB) && text.isWellFormed()) return text;
  return text.replace(UNSAFE, (character) => SUB + character.charCodeAt(0).toString(16).padStart(4, '0'));
}

export function fromStored(text: string): string {
  if (!text.includes(SUB)) return text;
  return text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A parameter as it goes into a statement. Callers are not all checked by a compiler: what is no value is named, and nothing is written. */
export function toValue(value: unknown, name: string): Value {
  if (typeof value === 'string') return toStored(value);
  if (value === null || (typeof value === 'number' && !Number.isNaN(value))) return value;
  throw noValue(name);
}

function noValue(name: string): CountersignError {
  return new CountersignError('invalid', `${name}: must be text, a number or nothing`, { field: name });
}

/** A row as it was written, in place. */
export function readText(row: unknown[]): unknown[] {
  for (let index = 0; index < row.length; index += 1) {
    const value = row[index];
    if (typeof value === 'string') row[index] = fromStored(value);
  }
  return row;
}
