import type { ChangeEntry, ChangeFile, DiffRow } from '@countersign/client';
import { span, wrapPath, wrapWords, type Line, type Look } from '../text/spans.js';
import { changeWords } from '../words/change.js';
import { signed } from './call-lines.js';

/** What happens to a file, in a word. */
export function statusOf(entry: ChangeEntry): string {
  return entry.kind === 'folder' ? changeWords.folder : changeWords.status[entry.status];
}

/** The path of a file or folder, what happens to it, and whether programs run it by themselves. */
export function entryText(entry: ChangeEntry): string {
  const { path, about } = entry;
  const runsLater = entry.kind === 'file' && entry.runsLater;
  const facts = [runsLater ? changeWords.runsLater : '', about].filter((fact) => fact !== '').join(', ');
  // In front, because a list cuts a long path.
  return `${runsLater ? '! ' : ''}${path}${facts === '' ? '' : ` (${facts})`}`;
}

export function lookOf(entry: ChangeEntry): Look {
  if (entry.kind === 'folder') return { dim: true };
  if (entry.runsLater) return { colour: 'bad', bold: true };
  return LOOKS[entry.status];
}

const LOOKS: Readonly<Record<ChangeFile['status'], Look>> = {
  removed: { colour: 'bad' },
  changed: {},
  moved: {},
  added: { colour: 'good' },
  'left-out': { colour: 'waiting' },
};

/** The width of the column for `statusOf`. */
export const STATUS = 13;

/** One file of a list. Further lines start at the column of the path. */
export function entryLines(entry: ChangeEntry, width: number): Line[] {
  return wrapPath(entryText(entry), width - STATUS).map((text, index): Line => [
    span((index === 0 ? statusOf(entry) : '').padEnd(STATUS)),
    span(text, lookOf(entry)),
  ]);
}

/** One file: what happens to it, then its lines with their numbers in the old and the new file. A folder: its files. */
export function fileLines(entry: ChangeEntry, width: number): Line[] {
  const head = entryLines(entry, width).map((line): Line => line.map((each) => ({ ...each, bold: true })));
  if (entry.kind === 'folder') return [...head, ...entry.files.flatMap((file) => entryLines(file, width))];
  const { rows, missing } = entry.read();
  const digits = rows.reduce((most, { old = 0, now = 0 }) => Math.max(most, `${Math.max(old, now)}`.length), 3);
  return [
    ...head,
    ...(missing === ''
      ? []
      : wrapWords(missing, width - 2).map((line): Line => [span(`  ${line}`, { colour: 'waiting' })])),
    ...rows.flatMap((row) => rowLines(row, digits, width)),
  ];
}

const EDGE = ' │ ';

/** Every line starts with the numbers or their room, so that no text of a file starts where only ours may start (CALL15). */
function rowLines(row: DiffRow, digits: number, width: number): Line[] {
  const number = (value: number | undefined): string => `${value ?? ''}`.padStart(digits);
  const gutter = `${number(row.old)} ${number(row.now)}`;
  return signed(row, width - gutter.length - EDGE.length).map((text, index): Line => [
    span(`${index === 0 ? gutter : ' '.repeat(gutter.length)}${EDGE}`, { dim: true }),
    text,
  ]);
}
