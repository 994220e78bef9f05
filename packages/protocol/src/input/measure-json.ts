/** About how many values a JSON text has, and how deep they are nested. One scan that keeps nothing: parsing hostile text blocks the process. */
export function measureJson(text: string): { values: number; depth: number } {
  let values = 0;
  let depth = 0;
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '"':
        at = endOfString(text, at);
        break;
      case ',':
        values += 1;
        break;
      case '[':
      case '{':
        values += 1;
        open += 1;
        depth = Math.max(depth, open);
        break;
      case ']':
      case '}':
        open -= 1;
        break;
      default:
    }
  }
  return { values, depth };
}

/** The position of the closing quote. A quote after an odd number of backslashes is part of the string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
