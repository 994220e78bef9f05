import type { ReactElement } from 'react';
import { cx } from './cx.js';
import { type IconName, PATHS } from './icon-paths.js';

/** A small icon next to a word. Hidden from screen readers, which read the word. */
export function Icon({ name, className }: { name: IconName; className?: string }): ReactElement {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className={cx('size-4 shrink-0', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
