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
    return [{ kind: 'dynamic', why: 'the arguments are not an object' }];
  }
  try {
    const words = Object.entries(args as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
      .map(([name, value]) => `${shownName(name)}=${typeof value === 'string' ? value : canonicalJson(value)}`);
    return [{ kind: 'words', words }];
  } catch {
    return [{ kind: 'dynamic', why: 'the arguments can not be put in words' }];
  }
}

/** Unquoted, `{"to=a": "b"}` and `{"to": "a=b"}` would be one word, and a name like `-f` would pose as an option. */
function shownName(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}
