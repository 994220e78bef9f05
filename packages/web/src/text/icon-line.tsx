import type { ReactElement, ReactNode } from 'react';
import { cx } from '../ui/cx.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon-paths.js';

/** A sentence after an icon, which is grey unless the line has a colour. */
export function IconLine({
  icon,
  look,
  quiet = look === undefined,
  children,
}: {
  icon: IconName;
  look?: string | undefined;
  /** Whether the icon is grey although the line has a colour. */
  quiet?: boolean;
  children: ReactNode;
}): ReactElement {
  return (
    <p className={cx('flex items-start gap-1.5', look)}>
      <Icon name={icon} className={cx('mt-0.5 size-3.5', quiet && 'text-ink-3')} />
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </p>
  );
}
