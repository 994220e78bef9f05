import type { ReactElement } from 'react';
import { createPortal } from 'react-dom';
import { useSignal } from '../data/use-signal.js';
import { cx } from '../ui/cx.js';
import { noticeSlot } from './notice-slot.js';
import { Toasts } from './toast.js';
import { Banner } from './banner.js';

/** The connection banner and the toasts: in the place that the page or the dialog has for them, or at the top while the page has no such place. */
export function Notices(): ReactElement {
  const slot = useSignal(noticeSlot);
  return createPortal(
    <div
      className={cx(
        // On a phone, the newest comes first; long ones scroll, because they would cover the card that a person is about to sign.
        'pointer-events-none z-50 flex flex-col items-center px-3 max-md:overflow-y-auto',
        slot === undefined
          ? 'fixed inset-x-0 top-14 max-md:max-h-[30dvh]'
          : slot.dataset['notices'] === undefined
            ? 'max-md:max-h-[calc(14dvh-1rem)]'
            : 'max-h-[inherit] max-md:max-h-[30dvh]',
      )}
    >
      <Banner />
      <Toasts />
    </div>,
    slot ?? document.body,
  );
}
