/** One rule as it stands in a text; lines count from one, `indent` is how many blanks are before it. */
export interface RuleLine {
  readonly rule: string;
  readonly line: number;
  readonly indent: number;
}

/**
 * Rules as they stand in a file or an editor: one a line, without those that are empty or begin with `#`. Read otherwise in one place
 * than in another, an indented `deny` would be lost in the rule above it.
 */
export function ruleLines(text: string): RuleLine[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ rule: line.trim(), line: index + 1, indent: line.length - line.trimStart().length }))
    .filter(({ rule }) => rule !== '' && !rule.startsWith('#'));
}
