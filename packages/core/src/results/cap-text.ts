import { headWithin, tailWithin, utf8Length } from './utf8-length.js';

export const defaultResultLimit = 64 * 1024;

/**
 * At most `limitBytes` of UTF-8 (T13): the beginning and the end are kept, and a sentence between them says how much was left out, with
 * what was before. Where not even the sentence fits, as much of the beginning as does.
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

/** Never longer for a smaller number: room is made for it before the number is known. ASCII, so its length is its bytes. */
export function leftOutHere(bytes: number): string {
  return `\n[${bytes} bytes were left out here.]\n`;
}
