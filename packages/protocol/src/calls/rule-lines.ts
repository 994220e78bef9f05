/** A rule with its place in a text. Line numbers start at one; `indent` is the number of leading whitespace characters. */
export interface RuleLine {
  readonly rule: string;
  readonly line: number;
  readonly indent: number;
}

/** Whether a line of a policy is a rule. Blank lines and comments are stored with the rules and ignored by the gate. */
export function isRule(line: string): boolean {
  const text = line.trim();
  return text !== '' && !text.startsWith('#');
}

/** The rules in a file or an editor, one per line, without comments and blank lines. */
export function ruleLines(text: string): RuleLine[] {
  return linesOf(text)
    .map((line, index) => ({ rule: line.trim(), line: index + 1, indent: line.length - line.trimStart().length }))
    .filter(({ rule }) => isRule(rule));
}

/** The lines of a file or editor in stored form: rules, comments and blank lines, without trailing blank lines. */
export function policyLines(text: string): string[] {
  const lines = linesOf(text.trimEnd()).map((line) => (isRule(line) ? line.trim() : line.trimEnd()));
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}

function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r?\n/);
}
