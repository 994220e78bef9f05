/** Parses JSON with comments and trailing commas, as used by editors. Throws like `JSON.parse`. */
export function parseJsonc(text: string): unknown {
  return JSON.parse(withoutComments(text.replace(/^\uFEFF/, '')));
}

// Also matches a string or comment that isn't closed: otherwise, the match would be retried at every later quote, which could take hours.
const STRING = String.raw`"(?:[^"\\]+|\\[\s\S])*"?`;
const COMMENT = String.raw`\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)`;
const PART = new RegExp(`${STRING}|${COMMENT}`, 'g');
const TRAILING_COMMA = new RegExp(String.raw`${STRING}|,(?=\s*[\]}])`, 'g');

/** Strings stay unchanged. Comments become spaces, so that error positions stay correct. */
function withoutComments(text: string): string {
  const plain = text.replace(PART, (part) => (part.startsWith('"') ? part : part.replace(/[^\n]/g, ' ')));
  return plain.replace(TRAILING_COMMA, (part) => (part === ',' ? ' ' : part));
}
