/** How many bytes text takes as UTF-8. A lone surrogate counts as the U+FFFD it is written as. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else {
      bytes += 2;
      // Of a pair each half counts two.
      if (code >= 0xd800 && code < 0xdc00 && isLow(text.charCodeAt(at + 1))) at += 1;
    }
  }
  return bytes;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** The longest beginning of `text` that takes at most `limit` bytes and cuts no character. */
export function headWithin(text: string, limit: number): string {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes += utf8Length(character);
    if (bytes > limit) break;
    at += character.length;
  }
  return text.slice(0, at);
}

/** The longest ending of `text` that takes at most `limit` bytes and cuts no character. */
export function tailWithin(text: string, limit: number): string {
  let bytes = 0;
  let at = text.length;
  while (at > 0) {
    const paired = at > 1 && isLow(text.charCodeAt(at - 1)) && (text.codePointAt(at - 2) ?? 0) > 0xffff;
    const character = text.slice(at - (paired ? 2 : 1), at);
    bytes += utf8Length(character);
    if (bytes > limit) break;
    at -= character.length;
  }
  return text.slice(at);
}
