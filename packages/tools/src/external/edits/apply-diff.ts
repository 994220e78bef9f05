import { unixLines, withLineBreaksOf, type NewText } from './replace-texts.js';

interface Hunk {
  /** Where it starts in the old text, from 0. */
  readonly start: number;
  readonly lines: readonly { readonly sign: string; readonly text: string }[];
}

/**
 * The text after a unified diff, whose hunks must fit exactly where they say. opencode removes the indentation that all lines of a diff share, so
 * it is taken from the file.
 */
export function applyDiff(before: string | undefined, diff: string): NewText {
  const old = linesOf(unixLines(before ?? ''));
  const hunks = hunksOf(unixLines(diff));
  const indents = new Set<string>();
  const fits = hunks.every(({ start, lines }) =>
    lines
      .filter(({ sign }) => sign !== '+')
      .every(({ text }, at) => {
        const line = old[start + at];
        if (line === undefined) return false;
        if (text.trim() === '') return line.trim() === '' && line.endsWith('\n') === text.endsWith('\n');
        indents.add(line.slice(0, Math.max(0, line.length - text.length)));
        return line.endsWith(text);
      }),
  );
  const [indent = '', ...others] = indents;
  if (hunks.length === 0 || !fits || indent.trim() !== '') return { why: 'does-not-apply' };
  if (others.length > 0) return { why: 'unclear' };
  let next = 0;
  let written = '';
  for (const { start, lines } of hunks) {
    if (start < next) return { why: 'does-not-apply' };
    written += old.slice(next, start).join('');
    next = start;
    for (const { sign, text } of lines) {
      if (sign === '+') written += text.trim() === '' ? text : indent + text;
      else if (sign === ' ') written += old[next] ?? '';
      if (sign !== '+') next += 1;
    }
  }
  return { text: withLineBreaksOf(before ?? '', written + old.slice(next).join('')) };
}

/** With their line breaks. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function hunksOf(diff: string): Hunk[] {
  const hunks: { start: number; lines: { sign: string; text: string }[] }[] = [];
  for (const line of diff.split('\n')) {
    const head = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d+(?:,\d+)? @@/.exec(line);
    const lines = hunks.at(-1)?.lines;
    const last = lines?.at(-1);
    // The position of a hunk without old lines is that of the line before it.
    if (head !== null) hunks.push({ start: Math.max(0, Number(head[1]) - (head[2] === '0' ? 0 : 1)), lines: [] });
    else if (line.startsWith('\\') && last !== undefined) last.text = last.text.slice(0, -1);
    else if (/^[ +-]/.test(line)) lines?.push({ sign: line.charAt(0), text: `${line.slice(1)}\n` });
  }
  return hunks;
}
