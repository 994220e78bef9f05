import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../ui/icon.js';

/** A warning that doesn't block anything. */
export function Note({ children }: { children: ReactNode }): ReactElement {
  return (
    <div
      role="status"
      className="flex items-start gap-2 rounded-md border border-line-2 bg-sunken px-3 py-2 text-[0.8125rem] text-ink-2"
    >
      <Icon name="alert" className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</div>
    </div>
  );
}
