import { headWithin, tailWithin, utf8Length } from './utf8-length.js';

export const defaultResultLimit = 64 * 1024;

/**
 * Truncates text to `limitBytes` of UTF-8 (TURN13). Keeps the start and the end, with a note in between that says how much was left out, including
 * `leftOutBefore`. If not even the note fits, keeps as much of the start as possible.
 */
export function capText(text: string, limitBytes: number = defaultResultLimit, leftOutBefore: number = 0): string {
  const limit = limitBytes > 0 ? limitBytes : 0;
  const total = utf8Length(text);
  if (total <= limit) return text;
  const room = limit - leftOutHere(total + leftOutBefore).length;
  if (room < 0) return headWithin(text, limit);
  const head = headWithin(text, Math.ceil(room / 2));
  const headBytes = utf8Length(head);
  const tail = tailWithin(text.slice(head.length), room - headBytes);
  return head + leftOutHere(total - headBytes - utf8Length(tail) + leftOutBefore) + tail;
}

/**
 * The note must not get longer for a smaller number, because its space is reserved before the number is known. It is ASCII, so length equals
 * bytes.
 */
export function leftOutHere(bytes: number): string {
  return `\n[${bytes} bytes were left out here.]\n`;
}
