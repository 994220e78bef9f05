/** Deeper than anyone writes by hand. At a depth of several thousand, the Markdown parser overflows the stack. */
const DEEPEST = 60;
/** The maximum number of delimiters to pair, which takes quadratic time. */
const MAX_MARKS = 2000;

/** Whether parsing this as Markdown would block or break the page. If so, it is shown as plain text. */
export function isIntricate(text: string): boolean {
  // A fence inside HTML is not a fence, so count everything.
  const hasFences = !/^ {0,3}</m.test(text);
  let fence: string | undefined;
  let marks = 0;
  for (const line of text.split('\n')) {
    const mark = hasFences ? /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] : undefined;
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      continue;
    }
    if (depthOf(line) > DEEPEST) return true;
    fence = mark;
    marks = line.trim() === '' ? 0 : marks + (line.match(/[*_~[]/g)?.length ?? 0);
    if (marks > MAX_MARKS) return true;
  }
  return false;
}

function depthOf(line: string): number {
  const lead = /^[\s>*+\-\d.)]*/.exec(line)?.[0] ?? '';
  return lead.match(/>|[-*+.)](?=\s)/g)?.length ?? 0;
}
