import { type ReactElement, useState } from 'react';
import { cx } from './cx.js';
import { bytesWords } from './time-words.js';
import { Visible } from './visible.js';

const STEP = 100_000;

/**
 * Plain text of any length. Only a part is in the page until a person asks for more: ten megabytes in one line would hold it up
 * for seconds.
 */
export function FoldedText({
  text,
  first = 1500,
  strict = false,
  className,
}: {
  text: string;
  first?: number;
  strict?: boolean;
  className?: string;
}): ReactElement {
  const [shown, setShown] = useState(first);
  // A few characters more than the fold cost less than a button.
  const whole = text.length <= shown * 1.2;
  return (
    <div className={cx('min-w-0', className)}>
      <pre className="code scroll-quiet max-h-96 overflow-auto text-[0.8125rem] leading-relaxed">
        <Visible text={whole ? text : text.slice(0, shown)} strict={strict} />
        {whole ? null : '…'}
      </pre>
      {whole ? null : (
        <button
          type="button"
          className="mt-1 text-[0.8125rem] font-medium text-blue hover:underline"
          onClick={() => setShown((before) => before + STEP)}
        >
          Show more ({bytesWords(text.length - shown)} left)
        </button>
      )}
    </div>
  );
}
