import { type ReactElement, useLayoutEffect, useRef } from 'react';
import { cx } from '../ui/cx.js';
import { offerSlot } from './notice-slot.js';

/** The place of notices on a page. It takes no space without them, and with them, so that they cover no text (CALL18.1). */
export function NoticePlace({ className }: { className?: string }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (place.current === null ? undefined : offerSlot(place.current, 'page')), []);
  return <div ref={place} data-notices className={cx('w-full shrink-0', className)} />;
}
