/** Parses `NAME=value` lines; a value may contain `=`. `wrong` is the number of the first invalid line. */
export function readPairs(text: string): { pairs: Record<string, string> } | { wrong: number } {
  const pairs: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(0, at)).trim();
    if (name === '') return { wrong: index + 1 };
    pairs[name] = line.slice(at + 1);
  }
  return { pairs };
}
