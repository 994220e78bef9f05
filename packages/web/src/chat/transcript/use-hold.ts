import { useState } from 'react';

/** Keeps an element at its position on the screen while the content that it opened changes the page's size. */
export interface Hold {
  take(element: Element): void;
  isHeld(): boolean;
  /** Restores the element's position after a change. */
  keep(box: HTMLElement): void;
  release(): void;
}

export function useHold(): Hold {
  const [hold] = useState(createHold);
  return hold;
}

function createHold(): Hold {
  let held: { element: Element; top: number; closes: boolean } | undefined;
  return {
    take(element) {
      const { top } = element.getBoundingClientRect();
      held = { element, top, closes: element.getAttribute('aria-expanded') === 'true' };
    },
    isHeld: () => held !== undefined,
    keep(box) {
      if (held === undefined) return;
      const before = box.scrollTop;
      box.scrollTop = before + held.element.getBoundingClientRect().top - held.top;
      // The element was closed at the end of the page, so the view follows new content again.
      if (held.closes && box.scrollHeight - box.scrollTop - box.clientHeight <= 1) held = undefined;
    },
    release() {
      held = undefined;
    },
  };
}
