import type { ChangeEntry } from '@countersign/client';
import { entryText, fileLines, lookOf, STATUS, statusOf } from '../../card/change-lines.js';
import { cut, span, type Line } from '../../text/spans.js';
import { changeWords } from '../../words/change.js';
import { screenWords } from '../../words/screen.js';
import type { UiState } from '../ui-state.js';

/** A long file takes a while, and each key draws it again. */
const drawn = new WeakMap<ChangeEntry, { width: number; lines: readonly Line[] }>();

/** The lines of the open file. Empty while the list is shown. */
export function reviewLines({ overlay, review }: UiState, width: number): readonly Line[] {
  const { entries, at, isOpen } = review;
  const entry = overlay === 'review' && isOpen ? entries[at] : undefined;
  if (entry === undefined) return [];
  const known = drawn.get(entry);
  if (known?.width === width) return known.lines;
  const lines = fileLines(entry, width - 1).map((line): Line => [{ text: ' ' }, ...line]);
  drawn.set(entry, { width, lines });
  return lines;
}

/** The list around the chosen file, or the lines of the open one from where the person has scrolled to. */
export function reviewWindow(ui: UiState, width: number, height: number): Line[] {
  const { entries, at, isOpen, scroll, note } = ui.review;
  const title = isOpen ? changeWords.place(at + 1, entries.length) : changeWords.title(entries.length);
  const lines = reviewLines(ui, width);
  const below = lines.length - scroll - height;
  const more = below > 0 ? screenWords.moreLines(below, '') : '';
  const head: Line = [span(title, { bold: true }), span(`${more}${note}`, { colour: 'waiting' })];
  if (isOpen) return [head, ...lines.slice(scroll, scroll + height)];
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), entries.length - height));
  const rows = entries.slice(first, first + height).map((entry, index): Line => {
    const isPicked = first + index === at;
    const status = statusOf(entry).padEnd(STATUS);
    return [
      span(isPicked ? ' › ' : '   ', { colour: 'do', bold: true }),
      span(status),
      span(cut(entryText(entry), width - STATUS - 4), { ...lookOf(entry), inverse: isPicked }),
    ];
  });
  return [head, ...rows];
}
