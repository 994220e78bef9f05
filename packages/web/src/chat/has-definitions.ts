const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** `[name]: address` and `[^1]: words`. */
const DEFINITION = /^[ >]{0,8}\[[^\]\n]+\]:/;

/**
 * Whether some part of a text is defined in another one: the address of a reference link, the words of a footnote. Such a text must be
 * read as a whole. What looks like a definition inside of code counts too unless it is fenced: reading it whole is only slower.
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
