import { CountersignError } from '@countersign/protocol';
import type { Value } from './queries/prepared.js';

declare global {
  interface String {
    /** False if the text contains lone surrogates. In Node since version 20, in TypeScript's lib since ES2024. */
    isWellFormed(): boolean;
  }
}

/**
 * Escapes text that databases can't store: SQLite truncates at NUL, PostgreSQL rejects it, and both replace lone surrogates, which would change
 * an approved call (CALL7). The escape is SUB and four hex digits; SUB itself is escaped too.
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

/**
 * Converts a parameter for a statement. Rejects unsupported types by name before anything is written, for callers without type
 * checks.
 */
export function toValue(value: unknown, name: string): Value {
  if (typeof value === 'string') return toStored(value);
  if (value === null || (typeof value === 'number' && !Number.isNaN(value))) return value;
  throw noValue(name);
}

function noValue(name: string): CountersignError {
  return new CountersignError('invalid', `${name}: must be text, a number or null`, { field: name });
}

/** Unescapes a row in place. */
export function readText(row: unknown[]): unknown[] {
  for (let index = 0; index < row.length; index += 1) {
    const value = row[index];
    if (typeof value === 'string') row[index] = fromStored(value);
  }
  return row;
}
