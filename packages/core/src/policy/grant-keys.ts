import type { Subject } from '@countersign/protocol';
import { isByName } from './compile-policy.js';
import { parsePattern } from './read-pattern.js';
import type { PatternWord } from './types.js';

/** Stands for "could be about any call". */
export const ANY_CALL = '';

/**
 * What the first thing a call touches must have for a pattern to cover it, as one text that a store can look grants up by: with
 * ten thousand patterns for one tool, reading them all would take as long as a person notices (N3).
 */
export function keyOfPattern(pattern: string | null): string {
  const parsed = pattern === null ? undefined : parsePattern(pattern);
  const [first, ...more] = parsed?.ok === true ? (parsed.words ?? []) : [];
  if (first === undefined) return ANY_CALL;
  // Conditions on named arguments hold in any order, and for tools that tell paths and hosts.
  if (parsed?.ok === true && parsed.named !== undefined && isByName(parsed.named)) return ANY_CALL;
  const words = [first, ...more].map(literalText);
  // A word that may be a path or a host is looked up by its end; several literal words can only be those very words.
  if (more.length > 0 && words.every((word) => word !== undefined)) return wholeKey(words);
  return words[0] === undefined ? ANY_CALL : endKey(words[0]);
}

/** The keys of every pattern that may cover a call. A pattern covers all that a call touches or nothing: the first is enough. */
export function keysOfCall(subjects: readonly Subject[]): readonly [string, string] {
  const first = subjects.find((subject) => subject.kind !== 'words' || subject.inner !== true);
  switch (first?.kind) {
    case 'words':
      return [endKey(first.words[0] ?? ''), wholeKey(first.words)];
    case 'path':
      return [endKey(first.path), ANY_CALL];
    case 'host':
      return [endKey(first.host), ANY_CALL];
    case 'dynamic':
    case undefined:
      return [ANY_CALL, ANY_CALL];
  }
}

function literalText(word: PatternWord): string | undefined {
  const [only, second] = word;
  if (only === undefined) return '';
  return second === undefined && 'text' in only ? only.text : undefined;
}

/** The last name in it, as hosts are compared. What stands for another name has no key. */
function endKey(text: string): string {
  const end = text
    .slice(text.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.$/, '');
  return end === '' || end === '.' || end === '~' ? ANY_CALL : `^${end.slice(0, 200)}`;
}

function wholeKey(words: readonly string[]): string {
  return `=${words.join('\u001F').slice(0, 400)}`;
}
