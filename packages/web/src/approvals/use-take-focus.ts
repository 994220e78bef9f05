import { type RefObject, useEffect } from 'react';

/** `if-free`: not while the person types elsewhere, or the next letter would be an answer here. */
export type TakeFocus = 'no' | 'if-free' | 'now';

/** Whether the focus comes to a card when it appears; asked once. */
export function useTakeFocus(card: RefObject<HTMLElement | null>, takeFocus: { current: TakeFocus }): void {
  useEffect(() => {
    const how = takeFocus.current;
    takeFocus.current = 'no';
    if (how === 'now' || (how === 'if-free' && isFocusFree(card.current))) card.current?.focus();
  }, [card, takeFocus]);
}

/** The card that waits inside, else what there is to go on with after one that does not. */
export function focusOnWaiting(inside: HTMLElement | null): void {
  const card =
    inside?.querySelector<HTMLElement>('[data-panel] section[tabindex]') ??
    inside?.querySelector<HTMLElement>('[data-panel] section button');
  card?.focus();
}

function isFocusFree(card: HTMLElement | null): boolean {
  const { activeElement } = document;
  return (
    activeElement === null ||
    activeElement === document.body ||
    activeElement instanceof HTMLDialogElement ||
    card?.closest('[data-panel]')?.contains(activeElement) === true
  );
}
