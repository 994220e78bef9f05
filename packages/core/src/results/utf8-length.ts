/** The UTF-8 length of a text in bytes. A lone surrogate counts as U+FFFD. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** The size of one character in bytes, by its first code unit. A surrogate pair takes four. */
function sizeOf(code: number, isPair: boolean): number {
  if (isPair) return 4;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
}

/** The longest prefix of `text` with at most `limit` bytes, without splitting a character. */
export function headWithin(text: string, limit: number): string {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const isPair = isHigh(code) && isLow(text.charCodeAt(at + 1));
    bytes += sizeOf(code, isPair);
    if (bytes > limit) break;
    at += isPair ? 2 : 1;
  }
  return text.slice(0, at);
}

/** The longest suffix of `text` with at most `limit` bytes, without splitting a character. */
export function tailWithin(text: string, limit: number): string {
  let bytes = 0;
  let at = text.length;
  while (at > 0) {
    const code = text.charCodeAt(at - 1);
    const isPair = at > 1 && isLow(code) && isHigh(text.charCodeAt(at - 2));
    bytes += sizeOf(code, isPair);
    if (bytes > limit) break;
    at -= isPair ? 2 : 1;
  }
  return text.slice(at);
}
