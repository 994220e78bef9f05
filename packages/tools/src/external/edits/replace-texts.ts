import type { NoEffectReason } from '@countersign/protocol';

/** Why it is unknown what an edit writes: its arguments are unclear, or don't apply to the file as it is now. */
type EditProblem = Extract<
  NoEffectReason,
  'unclear' | 'no-file' | 'no-match' | 'several-matches' | 'does-not-apply' | 'unreadable'
>;

/** The whole new text of a file, or why the arguments don't apply to it. */
export type NewText = { readonly text: string } | { readonly why: EditProblem };

/** One passage that is replaced. An empty `before` stands for a file that doesn't exist yet, or is empty. */
export interface Replacement {
  readonly before: string;
  readonly after: string;
  /** Otherwise, the passage must occur once. */
  readonly all?: boolean;
  /** How often it must occur. */
  readonly count?: number;
  /** Removing it also removes the line break behind it. */
  readonly takesLineBreak?: boolean;
  /** Whether the last line has a line break stays as it is. */
  readonly keepsEnd?: boolean;
}

/** Characters that are searched for all replacements of a call, and of the result. Predicting a call must not block the server. */
const MAX_SEARCHED = 64 * 1024 * 1024;
const MAX_LENGTH = 16 * 1024 * 1024;

/** Replaces passages one after the other. All programs of the table compare lines whatever they end with, and keep how those of the file end. */
export function replaceTexts(before: string | undefined, replacements: readonly Replacement[]): NewText {
  if ((before ?? '').length * replacements.length > MAX_SEARCHED) return { why: 'unreadable' };
  let text = before === undefined ? undefined : unixLines(before);
  for (const replacement of replacements) {
    const next = replaceOne(text, replacement);
    if ('why' in next) return next;
    text = next.text;
  }
  return { text: withLineBreaksOf(before ?? '', text ?? '') };
}

function replaceOne(text: string | undefined, { before: given, after: wanted, ...how }: Replacement): NewText {
  const [before, after] = [unixLines(given), unixLines(wanted)];
  if (before === after) return { why: 'does-not-apply' };
  if (before === '') return createFile(text === '' ? undefined : text, after);
  if (text === undefined) return { why: 'no-file' };
  const takesBreak = how.takesLineBreak === true && after === '' && !before.endsWith('\n');
  const passage = takesBreak && text.includes(`${before}\n`) ? `${before}\n` : before;
  const count = countOf(text, before);
  if (count === 0) return { why: 'no-match' };
  if (how.count !== undefined ? how.count !== count : how.all !== true && count > 1) return { why: 'several-matches' };
  if (text.length + count * after.length > MAX_LENGTH) return { why: 'unreadable' };
  const changed = how.all === true ? text.replaceAll(passage, () => after) : text.replace(passage, () => after);
  return { text: how.keepsEnd === true ? withEndOf(text, changed) : changed };
}

function countOf(text: string, passage: string): number {
  let count = 0;
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + passage.length)) count += 1;
  return count;
}

/** A tool that only creates files fails if there is one. */
export function createFile(before: string | undefined, text: string): NewText {
  return before === undefined ? { text } : { why: 'does-not-apply' };
}

function withEndOf(before: string, text: string): string {
  if (before.endsWith('\n') === text.endsWith('\n')) return text;
  return before.endsWith('\n') ? `${text}\n` : text.slice(0, -1);
}

export const unixLines = (text: string): string => text.replaceAll('\r\n', '\n');

export function withLineBreaksOf(before: string, text: string): string {
  return before.includes('\r\n') ? unixLines(text).replaceAll('\n', '\r\n') : text;
}
