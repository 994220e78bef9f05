import type { Subject } from '@countersign/protocol';
import { isByName } from '../compile-policy.js';
import { parsePattern } from '../rules/read-pattern.js';
import type { PatternWord } from '../types.js';

/** The key of patterns that may cover any call. */
export const ANY_CALL = '';

/**
 * An index key for a grant's pattern: what the first subject of a call must contain. Stores look up grants by it, because reading ten thousand
 * patterns for one tool would be noticeably slow (LIMIT3).
 */
export function keyOfPattern(pattern: string | null): string {
  // Any of several lines may cover the first subject.
  const parsed = pattern === null || pattern.includes('\n') ? undefined : parsePattern(pattern);
  const [first, ...more] = parsed?.ok === true ? (parsed.words ?? []) : [];
  if (first === undefined) return ANY_CALL;
  // Named conditions match in any order, and also apply to tools that report paths and hosts.
  if (parsed?.ok === true && parsed.named !== undefined && isByName(parsed.named)) return ANY_CALL;
  const words = [first, ...more].map(literalText);
  // A single word may be a path or host, so its key is its last part. Several literal words must match exactly.
  if (more.length > 0 && words.every((word) => word !== undefined)) return wholeKey(words);
  return words[0] === undefined ? ANY_CALL : endKey(words[0]);
}

/** The keys of all patterns that may cover a call. A pattern covers either all subjects or none, so the first subject is enough. */
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

/** The last path segment or host label, lowercased. `.` and `~` have no key. */
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
