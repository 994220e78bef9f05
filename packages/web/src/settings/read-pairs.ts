/** `NAME=value` lines. A line without a name is left out; a value may hold `=`. */
export function readPairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    const name = line.slice(0, at).trim();
    if (at > 0 && name !== '') pairs[name] = line.slice(at + 1).replace(/\r$/, '');
  }
  return pairs;
}
