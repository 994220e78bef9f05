import type { Subject } from '@countersign/protocol';
import { canonicalJson } from './canonical-json.js';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * What a call touches when its tool does not say: its arguments as `name=value` words, sorted by name. Strings stand
 * bare, anything else as canonical JSON. What can't be put in words (a validator may have made dates or classes of the
 * arguments) is dynamic, so that no rule allows what it can't read.
 */
export function defaultSubjects(args: unknown): readonly Subject[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return [{ kind: 'dynamic', why: { code: 'arguments-not-object' } }];
  }
  try {
    const members = Object.entries(args as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    const told = members.map(([name, value]) => `${shownName(name)}=${shownValue(value)}`);
    const bare = members.map(([name, value]) => `${shownName(name)}=${bareValue(value)}`);
    const words: Subject = { kind: 'words', words: told };
    // A deny rule for `amount=100` means the text "100" too: tools take the one for the other.
    return told.every((word, index) => word === bare[index])
      ? [words]
      : [words, { kind: 'words', words: bare, inner: true }];
  } catch {
    return [{ kind: 'dynamic', why: { code: 'arguments-unreadable' } }];
  }
}

/** Unquoted, `{"to=a": "b"}` and `{"to": "a=b"}` would be one word, and a name like `-f` would pose as an option. */
function shownName(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

/** Bare, the text "1" would be the number 1, and a rule signed for the one would allow the other. */
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
