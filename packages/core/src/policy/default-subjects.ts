import type { Subject } from '@countersign/protocol';
import { canonicalJson } from './canonical-json.js';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * Subjects for a tool that doesn't report any: its arguments as `name=value` words, sorted by name. Strings are unquoted, other values are
 * canonical JSON. Values that JSON can't represent, such as dates from a validator, are dynamic, so no rule allows them.
 */
export function defaultSubjects(args: unknown): readonly Subject[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return [{ kind: 'dynamic', why: { code: 'arguments-not-object' } }];
  }
  try {
    const members = Object.entries(args as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    const quoted = members.map(([name, value]) => `${shownName(name)}=${shownValue(value)}`);
    const bare = members.map(([name, value]) => `${shownName(name)}=${bareValue(value)}`);
    const words: Subject = { kind: 'words', words: quoted };
    // A deny rule for `amount=100` must also match the text "100", because tools accept both.
    return quoted.every((word, index) => word === bare[index])
      ? [words]
      : [words, { kind: 'words', words: bare, inner: true }];
  } catch {
    return [{ kind: 'dynamic', why: { code: 'arguments-unreadable' } }];
  }
}

/**
 * Quotes a name if needed: `{"to=a": "b"}` and `{"to": "a=b"}` must not become the same word, and a name like `-f` must not look like an
 * option.
 */
function shownName(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

/** Quotes text that looks like JSON: otherwise, the text "1" would equal the number 1, and a rule approved for one would allow the other. */
export function shownValue(value: unknown): string {
  return typeof value === 'string' && !readsAsJson(value) ? value : canonicalJson(value);
}

function bareValue(value: unknown): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

function readsAsJson(text: string): boolean {
  if (!/^[\s"[{\-0-9tfn]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
