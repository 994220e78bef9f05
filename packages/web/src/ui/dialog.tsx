import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { IconButton } from './button.js';
import { cx } from './cx.js';
import { offerSlot } from '../notices/notice-slot.js';
import { uiWords } from '../words/ui.js';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Next to the title. */
  aside?: ReactNode;
  /** `picture` is as wide as its content; `sheet` slides up from the bottom, for phones; `side` from the left. */
  shape?: 'box' | 'picture' | 'sheet' | 'side';
}

/**
 * The browser's own modal dialog: it traps and restores the focus, closes on Escape and makes the page behind it inert, without a style
 * element, which our content security policy would block.
 */
export function Dialog({ title, onClose, children, aside, shape = 'box' }: DialogProps): ReactElement {
  const box = useRef<HTMLDialogElement>(null);
  const notices = useRef<HTMLDivElement>(null);
  const titleId = useId();
  // Close it before it is unmounted: a dialog that is removed while open doesn't restore the focus.
  useLayoutEffect(() => {
    const dialog = box.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  useLayoutEffect(() => (notices.current === null ? undefined : offerSlot(notices.current, 'dialog')), []);
  return (
    // The backdrop belongs to the dialog: a click on it targets the dialog itself. Keyboard users have Escape.
    <dialog
      ref={box}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      className={cx(
        // As a flex item, the content fits inside the borders, so only the content scrolls.
        'bg-paper p-0 flex-col text-ink shadow-card open:flex',
        // A border would make a full-height sheet taller and move the bar at its bottom.
        shape === 'sheet' ? 'ring-1 ring-line-2' : 'border border-line',
        shape === 'box' && 'm-auto max-h-[80dvh] w-[min(44rem,calc(100vw-2rem))] rounded-xl',
        shape === 'picture' &&
          'm-auto max-h-[92dvh] w-fit max-w-[calc(100vw-2rem)] min-w-[min(20rem,calc(100vw-2rem))] rounded-xl',
        shape === 'sheet' &&
          'fixed inset-x-0 top-auto bottom-0 m-0 max-h-[86dvh] w-full max-w-none animate-rise rounded-t-2xl md:mx-auto md:w-[40rem]',
        shape === 'side' && 'fixed inset-y-0 right-auto left-0 m-0 h-dvh max-h-none w-[min(20rem,86vw)] animate-rise',
      )}
    >
      {/* Placed at the top of the screen, outside the dialog's title, fields and buttons. */}
      <div
        ref={notices}
        className={cx('z-10 h-0', shape === 'side' ? 'absolute inset-x-0 top-14' : 'fixed inset-x-0 top-2')}
      />
      <div className="flex min-h-0 flex-col">
        <header className="flex items-center gap-4 border-b border-line py-2 pr-2 pl-5">
          <h2 id={titleId} data-landing="always" className="mr-auto text-base leading-tight font-semibold">
            {title}
          </h2>
          {aside}
          <IconButton icon="cross" label={uiWords.close} onClick={onClose} />
        </header>
        <div
          className={cx(
            'min-h-0',
            // A sheet has a bar at its bottom and scrolls above it.
            shape === 'sheet' ? 'flex flex-col p-2' : 'scroll-quiet overflow-y-auto',
            (shape === 'box' || shape === 'picture') && 'p-5',
          )}
        >
          {children}
        </div>
      </div>
    </dialog>
  );
}
