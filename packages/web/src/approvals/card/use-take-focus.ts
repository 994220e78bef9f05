import { type RefObject, useEffect } from 'react';

/** `if-free`: not while the person types elsewhere; otherwise, the next letter would be a decision here. */
export type TakeFocus = 'no' | 'if-free' | 'now';

/** Focuses a card when it appears, if requested; checked once. */
export function useTakeFocus(card: RefObject<HTMLElement | null>, takeFocus: { current: TakeFocus }): void {
  useEffect(() => {
    const how = takeFocus.current;
    takeFocus.current = 'no';
    if (how === 'now' || (how === 'if-free' && isFocusFree(card.current))) card.current?.focus();
  }, [card, takeFocus]);
}

/** Focuses the waiting card inside, or otherwise the button that continues. Returns false if there is neither. */
export function focusOnWaiting(inside: HTMLElement | null): boolean {
  const card =
    inside?.querySelector<HTMLElement>('[data-panel] section[tabindex]') ??
    inside?.querySelector<HTMLElement>('[data-panel] section button');
  card?.focus();
  return card !== null && card !== undefined;
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
