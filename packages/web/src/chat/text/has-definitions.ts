const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** `[name]: url` and `[^1]: text`. */
const DEFINITION = /^[ >]{0,8}\[[^\]\n]+\]:/;

/**
 * Whether part of a text is defined elsewhere in it: the URL of a reference link, or a footnote. Such a text must be parsed as a whole. Unfenced code
 * that looks like a definition is included too, which only makes parsing slower.
 */
export function hasDefinitions(text: string): boolean {
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else if (DEFINITION.test(line)) return true;
  }
  return false;
}
