import type { ChangedFile, Effect, Preview } from '@countersign/protocol';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'place' | 'note';
  text: string;
}

/** The lines of a unified diff without its file header, which the card shows. Other text is returned unchanged. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  if (!lines.some((line) => line.startsWith('@@'))) return lines.map((text) => ({ kind: 'same', text }));
  // A loop: large changes have tens of thousands of lines, and the page must not block.
  const found: DiffLine[] = [];
  let inside = false;
  for (const line of lines) {
    if (line.startsWith('@@')) {
      inside = true;
      // For a new file, the position is redundant.
      if (!/^@@ -0,0 \+\d+(?:,\d+)? @@$/.test(line)) found.push({ kind: 'place', text: line });
    } else if (inside) found.push(lineOf(line));
    else if (!/^(?:---|\+\+\+|diff |index |=+$)/.test(line)) found.push({ kind: 'note', text: line });
  }
  return found;
}

function lineOf(line: string): DiffLine {
  switch (line[0]) {
    case '+':
      return { kind: 'added', text: line.slice(1) };
    case '-':
      return { kind: 'removed', text: line.slice(1) };
    case ' ':
    case undefined:
      return { kind: 'same', text: line.slice(1) };
    default:
      // A missing line break at the end. No other line of a file looks like this: it says what was cut.
      return { kind: 'note', text: line };
  }
}

type Change = { kind: 'write'; content: string } | { kind: 'edit'; before: string; after: string };

/**
 * The changes that a call would make to a file. A truncated preview hides part of what is approved, so the full arguments are shown instead.
 * `effect`, or a prediction, says whether there is a file that they replace: its new content is then no addition.
 */
export function changeLines(change: Change, preview: Preview | undefined, effect?: Pick<Effect, 'files'>): DiffLine[] {
  if (preview?.truncated === false) return diffLines(preview.text);
  if (change.kind === 'edit') return replaceLines(change.before, change.after);
  const lines = replaceLines('', change.content);
  const replaced = effect?.files.find((file) => file.change === 'changed' && file.kind === 'file');
  if (replaced === undefined) return lines;
  const note = `Replaces the file${replaced.lines === undefined ? '' : ` (${linesText(replaced.lines)})`}. Its new content:`;
  return [{ kind: 'note', text: note }, ...lines.map(({ text }): DiffLine => ({ kind: 'same', text }))];
}

/** `+428 −428 lines` */
export function linesText({ added, removed }: NonNullable<ChangedFile['lines']>): string {
  return `+${added} −${removed} ${added + removed === 1 ? 'line' : 'lines'}`;
}

/** An edit without a diff: the removed lines, then the added ones. */
function replaceLines(before: string, after: string): DiffLine[] {
  return [
    ...(before === '' ? [] : before.split('\n').map((text): DiffLine => ({ kind: 'removed', text }))),
    ...after
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => ({ kind: 'added', text })),
  ];
}
