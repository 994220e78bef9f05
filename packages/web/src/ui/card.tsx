import type { HTMLAttributes, ReactElement } from 'react';
import { cx } from './cx.js';

export function Card({ className, ...rest }: HTMLAttributes<HTMLDivElement>): ReactElement {
  return <div {...rest} className={cx('rounded-lg border border-line bg-surface', className)} />;
}

/** An empty state that says what to do next. */
export function Empty({ title, children }: { title: string; children?: React.ReactNode }): ReactElement {
  return (
    <div className="rounded-lg border border-dashed border-line-2 px-6 py-10 text-center">
      <p className="font-medium text-ink">{title}</p>
      {children === undefined ? null : <div className="mx-auto mt-1 max-w-prose text-sm text-ink-2">{children}</div>}
    </div>
  );
}
