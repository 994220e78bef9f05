const SHORTEST = 12;

/** Whether the word is base64 or hex of readable text. A key is random, so it never is. */
export function readsAsText(word: string): boolean {
  if (word.length < SHORTEST) return false;
  if (/^(?:[0-9a-fA-F]{2})+$/.test(word) && isReadable(Buffer.from(word, 'hex'))) return true;
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(word) && isReadable(Buffer.from(word, 'base64'));
}

function isReadable(bytes: Buffer): boolean {
  const readable = bytes.filter((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09).length;
  return bytes.length >= 8 && readable >= bytes.length * 0.9;
}
