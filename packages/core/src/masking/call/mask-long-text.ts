import { callLimit } from '../scan/characters.js';
import { createSecretScanner } from '../scan/create-secret-scanner.js';
import { maskCallText } from './mask-call.js';

/** Scanned before the end of a part. Longer than the longest private keys. */
const WINDOW = 16 * 1024;
/** Longer lines may be cut. */
const LONGEST_LINE = 1024;

/** Masks a text of any length, and yields its parts: `maskCallText` masks nothing in a text over the limit, and a megabyte takes a second. */
export function* maskLongText(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > callLimit) {
    const to = findCut(text, from + callLimit);
    yield maskCallText(text.slice(from, to));
    from = to;
  }
  yield maskCallText(text.slice(from));
}

/** The last place before `limit` that is neither inside a secret nor between a secret and its name: the end of a line, if possible. */
function findCut(text: string, limit: number): number {
  const scanner = createSecretScanner(() => undefined);
  let cut = limit;
  for (let at = limit - WINDOW; ;) {
    const end = Math.min(text.indexOf('\n', at) + 1 || text.length, at + LONGEST_LINE);
    if (end > limit) return cut;
    scanner.push(text.slice(at, end));
    const held = scanner.held();
    if (held !== undefined) cut = end - held;
    at = end;
  }
}
