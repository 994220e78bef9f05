import type { ReactElement } from 'react';
import { cx } from '../ui/cx.js';
import { Visible } from './visible.js';

/** Why something failed, read aloud when it appears. */
export function ErrorLine({ text, className }: { text: string | undefined; className?: string }): ReactElement | null {
  if (text === undefined) return null;
  return (
    <p role="alert" className={cx('text-sm text-red [overflow-wrap:anywhere]', className)}>
      <Visible text={text} />
    </p>
  );
}
