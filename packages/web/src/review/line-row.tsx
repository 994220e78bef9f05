import { changedWords, type DiffRow, type SideRow } from '@countersign/client';
import type { ReactElement, ReactNode } from 'react';
import { cx } from '../ui/cx.js';
import { reviewWords } from '../words/review.js';
import { CodeText } from './code-text.js';
import type { Colour } from './colours.js';

const SIGNS: Readonly<Record<DiffRow['kind'], string>> = { same: '', added: '+', removed: '−', place: '', note: '' };
const LOOKS: Readonly<Record<DiffRow['kind'], string>> = {
  same: 'text-ink',
  added: 'bg-green-soft text-ink',
  removed: 'bg-red-soft text-ink',
  place: 'bg-sunken text-ink-3',
  note: 'text-ink-2 italic',
};

/** What is known about lines besides their text. */
export interface LineFacts {
  readonly colours: ReadonlyMap<DiffRow, readonly Colour[]>;
  /** The line that replaces another one, or that it replaces. */
  readonly others: ReadonlyMap<DiffRow, DiffRow>;
  readonly onLine: ((line: number) => void) | undefined;
}

/** One line with its numbers in the old and the new file, or both of them side by side. */
export function LineRow({
  side,
  isMarked,
  children,
  ...facts
}: LineFacts & {
  side: SideRow;
  isMarked: boolean;
  /** Before the text. */
  children?: ReactNode;
}): ReactElement {
  const mark = <span aria-hidden className={cx('w-1 shrink-0', isMarked && 'bg-blue')} />;
  if (!('whole' in side)) {
    const { left, right } = side;
    return (
      <div className="flex">
        {mark}
        {/* A line that stays is read once. */}
        <Half row={left} number={left?.old} isSilent={left === right} {...facts} onLine={undefined} />
        <Half row={right} number={right?.now} {...facts} />
      </div>
    );
  }
  const { kind, old, now } = side.whole;
  return (
    <div className={cx('flex', LOOKS[kind])}>
      {mark}
      <LineNumber value={old} isSecond={now !== undefined} />
      <LineNumber value={now} isSecond={now === undefined} onClick={facts.onLine} />
      {children}
      <LineText row={side.whole} {...facts} />
    </div>
  );
}

function Half({
  row,
  number,
  isSilent = false,
  ...facts
}: LineFacts & { row: DiffRow | undefined; number: number | undefined; isSilent?: boolean }): ReactElement {
  return (
    <div
      aria-hidden={isSilent || row === undefined}
      className={cx('flex min-w-0 flex-1 basis-1/2', row === undefined ? 'bg-sunken' : LOOKS[row.kind])}
    >
      <LineNumber value={number} isSecond={false} onClick={facts.onLine} />
      {row === undefined ? null : <LineText row={row} {...facts} />}
    </div>
  );
}

/** On a phone, there is only room for one. Not copied with the text. A click is a shortcut for a field of the form. */
function LineNumber({
  value,
  isSecond,
  onClick,
}: {
  value: number | undefined;
  isSecond: boolean;
  onClick?: ((line: number) => void) | undefined;
}): ReactElement {
  const isActive = onClick !== undefined && value !== undefined;
  return (
    <span
      aria-hidden
      {...(isActive ? { onClick: () => onClick(value) } : {})}
      className={cx(
        isActive && 'cursor-pointer hover:bg-blue-soft hover:text-ink',
        'w-9 shrink-0 pr-1.5 text-right text-xs leading-[1.375rem] text-ink-3 select-none sm:block sm:w-12',
        isSecond && 'hidden',
      )}
    >
      {value}
    </span>
  );
}

function LineText({ row, colours, others }: Omit<LineFacts, 'onLine'> & { row: DiffRow }): ReactElement {
  const { kind, text } = row;
  const other = others.get(row)?.text;
  const words = other === undefined ? undefined : changedWords(text, other);
  const look = kind === 'added' ? 'bg-green-mark' : 'bg-red-mark';
  return (
    <>
      <span aria-hidden className="w-4 shrink-0 text-center text-ink-3 select-none">
        {SIGNS[kind]}
      </span>
      {kind === 'added' || kind === 'removed' ? <span className="sr-only">{reviewWords[kind]}: </span> : null}
      <span className="code min-w-0 flex-1 pr-2">
        {text === '' ? ' ' : <CodeText text={text} colours={colours.get(row)} differs={words && { ...words, look }} />}
      </span>
    </>
  );
}
