import { type ReactElement, useState } from 'react';
import { cx } from '../ui/cx.js';
import { useFold } from './folds.js';
import { Icon } from '../ui/icon.js';
import { bytesText } from './time-text.js';
import { Visible } from './visible.js';
import { uiWords } from '../words/ui.js';

const STEP = 100_000;
/** The end of text that will run is always shown, after the number of hidden characters. */
const TAIL = 500;
const LOOK = 'code text-[0.8125rem] leading-relaxed';

/**
 * Plain text of any length; only part of it is rendered until a person expands it. `strict` text will run: it has no separate scroll area, so
 * that the end of the card is the end of the text.
 */
export function FoldedText({
  text,
  strict = false,
  first = strict ? 3000 : 1500,
  className,
}: {
  text: string;
  first?: number;
  strict?: boolean;
  className?: string;
}): ReactElement {
  const [shown, setShown] = useState(first);
  const tail = strict ? TAIL : 0;
  // Showing a few more characters takes less space than a button.
  const whole = text.length <= shown * 1.2 + tail;
  useFold(strict && !whole);
  return (
    <div className={cx('min-w-0', className)}>
      <pre className={cx(LOOK, !strict && 'scroll-quiet max-h-96 overflow-auto')}>
        <Visible text={whole ? text : text.slice(0, shown)} strict={strict} />
        {whole ? null : '…'}
      </pre>
      {whole || !strict ? null : (
        <>
          <p className="my-1 flex items-center gap-1.5 rounded-sm bg-amber-soft px-2 py-0.5 text-[0.8125rem] font-medium text-amber">
            <Icon name="alert" className="size-3.5" />
            {uiWords.hiddenCharacters(text.length - shown - tail)}
          </p>
          <pre className={LOOK}>
            …<Visible text={text.slice(-tail)} strict />
          </pre>
        </>
      )}
      {whole ? null : (
        <button
          type="button"
          className="mt-1 text-[0.8125rem] font-medium text-blue hover:underline"
          onClick={() => setShown((before) => before + STEP)}
        >
          {uiWords.showMore(bytesText(text.length - shown - tail))}
        </button>
      )}
    </div>
  );
}
