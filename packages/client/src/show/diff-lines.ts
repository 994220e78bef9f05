import type { Preview } from '@countersign/protocol';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'place' | 'note';
  text: string;
}

/** The lines of a unified diff without its file header, which the card shows. Other text is returned unchanged. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  if (!lines.some((line) => line.startsWith('@@'))) return lines.map((text) => ({ kind: 'same', text }));
  let inside = false;
  return lines.flatMap((line): DiffLine[] => {
    if (line.startsWith('@@')) {
      inside = true;
      // For a new file, the position is redundant.
      if (/^@@ -0,0 \+\d+(?:,\d+)? @@$/.test(line)) return [];
      return [{ kind: 'place', text: line }];
    }
    if (!inside) return /^(?:---|\+\+\+|diff |index |=+$)/.test(line) ? [] : [{ kind: 'note', text: line }];
    if (line.startsWith('+')) return [{ kind: 'added', text: line.slice(1) }];
    if (line.startsWith('-')) return [{ kind: 'removed', text: line.slice(1) }];
    if (line.startsWith('\\')) return [{ kind: 'note', text: line }];
    return [{ kind: 'same', text: line.startsWith(' ') ? line.slice(1) : line }];
  });
}

type Change = { kind: 'write'; content: string } | { kind: 'edit'; before: string; after: string };

/**
 * The changes that a call would make to a file. A truncated preview hides part of what is approved, so the full arguments are shown instead.
 */
export function changeLines(change: Change, preview: Preview | undefined): DiffLine[] {
  if (preview?.truncated === false) return diffLines(preview.text);
  return change.kind === 'edit' ? replaceLines(change.before, change.after) : replaceLines('', change.content);
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
