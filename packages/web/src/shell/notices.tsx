import { type ReactElement, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { cx } from '../ui/cx.js';
import { currentSlot, subscribeToSlot } from '../ui/notice-slot.js';
import { Toasts } from '../ui/toast.js';
import { Banner } from './banner.js';

/**
 * The connection banner and the toasts. They appear below the top bar with the title and *Stop*, and next to the column of waiting calls; the
 * composer and the approval buttons are at the bottom.
 */
export function Notices(): ReactElement {
  const slot = useSyncExternalStore(subscribeToSlot, currentSlot);
  return createPortal(
    <div
      className={cx(
        // On a phone, the newest comes first; long ones scroll, because they would cover the card that a person is about to sign.
        'pointer-events-none z-50 flex flex-col items-center gap-2 max-md:overflow-y-auto',
        slot === undefined
          ? 'fixed inset-x-0 top-14 px-3 pt-2 max-md:max-h-[30dvh] md:right-auto md:left-64 md:w-[min(28rem,calc(100vw-17rem))] md:items-start 2xl:left-72'
          : 'px-3 max-md:max-h-[calc(14dvh-1rem)]',
      )}
    >
      <Banner />
      <Toasts />
    </div>,
    slot ?? document.body,
  );
}
