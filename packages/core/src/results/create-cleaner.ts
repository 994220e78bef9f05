import { capText, leftOutHere } from './cap-text.js';
import { cleanText } from './clean-text.js';
import { utf8Length } from './utf8-length.js';

export interface Cleaner {
  clean: (text: string) => string;
  /** Like `capText`, but also counts text that was left out before cleaning. */
  cap: (text: string, limitBytes: number) => string;
}

/** Budget for all texts of a result together, as a multiple of the limit. Text beyond it can't end up in the result. */
const ROOM = 16;
/** At least this much of each text is kept. */
const LEAST = 128;

/**
 * Cleans the texts of one result (TURN14). Only the start and end of a huge text can remain, so its middle is removed first; cleaning all of it would
 * block the process.
 */
export function createCleaner(ownSecrets: readonly string[], limitBytes: number): Cleaner {
  // Longest first: otherwise, if one secret starts with another, the rest of the longer one would remain.
  const secrets = [...ownSecrets, ...ownSecrets.map(cleanText)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
  // Clean before searching: a color sequence inside a token would hide it from the search.
  const tidy = (text: string): string =>
    secrets.reduce((masked, secret) => masked.replaceAll(secret, () => '‹masked›'), cleanText(text));
  const leftOut = new Map<string, number>();
  let room = ROOM * Math.max(limitBytes, 1024);

  return {
    clean(text) {
      const most = Math.max(LEAST, Math.floor(room / 4));
      room = Math.max(0, room - Math.min(text.length, most));
      if (text.length <= most) return tidy(text);
      const half = Math.floor(most / 2);
      const head = withoutHalf(tidy(text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '')), secrets, 'end');
      const tail = withoutHalf(tidy(text.slice(-half).replace(/^[\uDC00-\uDFFF]/, '')), secrets, 'start');
      const bytes = utf8Length(text) - utf8Length(head) - utf8Length(tail);
      const note = leftOutHere(bytes);
      const short = head + note + tail;
      leftOut.set(short, bytes - note.length);
      return short;
    },
    cap: (text, limit) => capText(text, limit, leftOut.get(text)),
  };
}

/** Removes the remaining part of a secret that the cut split, because searching for its value can't find it. */
function withoutHalf(text: string, secrets: readonly string[], where: 'start' | 'end'): string {
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
      if (where === 'end' && text.endsWith(secret.slice(0, length))) return text.slice(0, -length);
      if (where === 'start' && text.startsWith(secret.slice(-length))) return text.slice(length);
    }
  }
  return text;
}
