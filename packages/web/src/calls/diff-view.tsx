import type { DiffLine } from '@countersign/client';
import type { ChangedFile } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { cx } from '../ui/cx.js';
import { FoldedText } from '../text/folded-text.js';
import { useFold } from '../text/folds.js';
import { Icon } from '../ui/icon.js';
import { Visible } from '../text/visible.js';
import { callWords } from '../words/calls.js';

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '−', place: '', note: '' };
const LOOKS: Readonly<Record<DiffLine['kind'], string>> = {
  same: 'text-ink-2',
  added: 'bg-green-soft text-ink',
  removed: 'bg-red-soft text-ink',
  place: 'text-ink-3 bg-sunken',
  note: 'text-ink-3 italic',
};
const FIRST = 200;
const STEP = 400;
const LONGEST_LINE = 2000;

/** The lines of a diff, without a separate scroll area, so that the end of the card is the end of the diff. */
export function DiffView({
  path,
  lines,
  counts,
}: {
  path?: string;
  lines: readonly DiffLine[];
  /** Of the whole change, if `lines` may not show all of it. */
  counts?: ChangedFile['lines'] | undefined;
}): ReactElement {
  const [count, setCount] = useState(FIRST);
  useFold(lines.length > count);
  const added = counts?.added ?? lines.filter(({ kind }) => kind === 'added').length;
  const removed = counts?.removed ?? lines.filter(({ kind }) => kind === 'removed').length;
  return (
    <div className="min-w-0">
      {path === undefined ? null : (
        <p className="mb-1 flex items-center gap-1.5 font-mono text-[0.8125rem]">
          <Icon name="file" className="text-ink-3" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Visible text={path} strict />
          </span>
          <span className="ml-auto shrink-0 text-xs">
            <span className="text-green">+{added}</span> <span className="text-red">−{removed}</span>
            <span className="sr-only"> {callWords.lines}</span>
          </span>
        </p>
      )}
      {lines.length === 0 ? null : (
        <div
          role="group"
          aria-label={callWords.changes}
          className="rounded-md border border-line bg-surface py-1 font-mono text-[0.8125rem] leading-relaxed"
        >
          {lines.slice(0, count).map((line, index) => (
            <div key={`${index}`} className={cx('code flex px-2', LOOKS[line.kind])}>
              <span aria-hidden="true" className="w-4 shrink-0 text-ink-3 select-none">
                {SIGNS[line.kind]}
              </span>
              {line.kind === 'added' || line.kind === 'removed' ? <span className="sr-only">{line.kind}: </span> : null}
              {line.text.length > LONGEST_LINE ? (
                // The folded part can be expanded, because it is approved too.
                <FoldedText text={line.text} first={LONGEST_LINE} strict />
              ) : (
                <span className="min-w-0">{line.text === '' ? ' ' : <Visible text={line.text} strict />}</span>
              )}
            </div>
          ))}
        </div>
      )}
      {lines.length > count ? (
        <p className="mt-1 flex items-center gap-1.5 rounded-sm bg-amber-soft px-2 py-0.5 text-[0.8125rem] font-medium text-amber">
          <Icon name="alert" className="size-3.5" />
          {callWords.hiddenLines(lines.length - count)}
        </p>
      ) : null}
      {lines.length > count ? (
        <button
          type="button"
          className="mt-1 text-[0.8125rem] font-medium text-blue hover:underline"
          onClick={() => setCount((before) => before + STEP)}
        >
          {callWords.showLines(Math.min(STEP, lines.length - count), lines.length)}
        </button>
      ) : null}
    </div>
  );
}
