import type { ReactElement } from 'react';
import { cx } from './cx.js';

/** The logo: a short signature stroke over a line. */
export function Mark({ className }: { className?: string }): ReactElement {
  return (
    <svg
      viewBox="0 0 32 24"
      aria-hidden="true"
      className={cx('h-5 shrink-0', className)}
      fill="none"
      stroke="currentColor"
    >
      <path
        d="M4 15c3.500-9.500 7-12.500 8.600-11S9.500 14 12 14s3.300-6.500 5.600-6.500-.2 6 2.200 6 3-3.500 8.200-4.800"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path d="M4 20.500h24" strokeWidth="1.500" strokeLinecap="round" opacity="0.55" />
    </svg>
  );
}

/**
 * The last line of an approval card. Empty before the decision; then it says who approved it, when and with which
 * scope.
 */
export function SignatureLine({ signed, children }: { signed: boolean; children?: React.ReactNode }): ReactElement {
  return (
    <div className={cx('flex items-end gap-2 border-b pb-1 text-xs', signed ? 'border-green' : 'border-line-2')}>
      <svg
        viewBox="0 0 48 20"
        aria-hidden="true"
        className={cx('h-5 w-12 shrink-0', signed ? 'text-green' : 'text-line-2')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.800"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        {signed ? (
          <path d="M3 15c5-12 10-15 12-13s-5 12-1.500 12 5-8 8-8 0 7.500 3.500 7.500 3-6 6-6 .5 5 3 5 4-2.500 11-4" />
        ) : (
          <path d="M4 8l6 8M10 8l-6 8" />
        )}
      </svg>
      <span className="min-w-0 flex-1 pb-0.5 text-ink-2">{children}</span>
    </div>
  );
}
