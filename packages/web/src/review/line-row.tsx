import type { DiffRow } from '@countersign/client';
import type { ReactElement } from 'react';
import { Visible } from '../text/visible.js';
import { cx } from '../ui/cx.js';
import { reviewWords } from '../words/review.js';

const SIGNS: Readonly<Record<DiffRow['kind'], string>> = { same: '', added: '+', removed: '−', place: '', note: '' };
const LOOKS: Readonly<Record<DiffRow['kind'], string>> = {
  same: 'text-ink',
  added: 'bg-green-soft text-ink',
  removed: 'bg-red-soft text-ink',
  place: 'bg-sunken text-ink-3',
  note: 'text-ink-2 italic',
};

/** One line with its numbers in the old and the new file. */
export function LineRow({
  row,
  isMarked,
  onLine,
}: {
  row: DiffRow;
  isMarked: boolean;
  onLine: ((line: number) => void) | undefined;
}): ReactElement {
  const { kind, old, now } = row;
  return (
    <div className={cx('flex', LOOKS[kind])}>
      <span aria-hidden className={cx('w-1 shrink-0', isMarked && 'bg-blue')} />
      <LineNumber value={old} isSecond={now !== undefined} />
      <LineNumber value={now} isSecond={now === undefined} onClick={onLine} />
      <LineText row={row} />
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

function LineText({ row: { kind, text } }: { row: DiffRow }): ReactElement {
  return (
    <>
      <span aria-hidden className="w-4 shrink-0 text-center text-ink-3 select-none">
        {SIGNS[kind]}
      </span>
      {kind === 'added' || kind === 'removed' ? <span className="sr-only">{reviewWords[kind]}: </span> : null}
      <span className="code min-w-0 flex-1 pr-2">{text === '' ? ' ' : <Visible text={text} strict />}</span>
    </>
  );
}
