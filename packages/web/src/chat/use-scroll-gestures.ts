import { type HTMLAttributes, useState } from 'react';

/** How long after a wheel, key or touch event a scroll may still be its effect. */
const EFFECT_MS = 1000;
const KEYS = new Set(['ArrowUp', 'PageUp', 'Home', 'Tab', ' ']);

export interface ScrollGestures {
  /** Whether a person was, or might have been, scrolling up at this event time. */
  readonly isScrollingUp: (timeStamp: number) => boolean;
  /** For the scrolled element. */
  readonly gestures: Pick<
    HTMLAttributes<HTMLElement>,
    'onWheel' | 'onKeyDown' | 'onTouchMove' | 'onPointerDown' | 'onPointerMove'
  >;
}

/** Distinguishes a person's scrolling from what the browser does when content changes its size. */
export function useScrollGestures(): ScrollGestures {
  const [made] = useState(createScrollGestures);
  return made;
}

export function createScrollGestures(): ScrollGestures {
  let lastUp = Number.NEGATIVE_INFINITY;
  let isDragging = false;
  return {
    isScrollingUp: (timeStamp) => isDragging || timeStamp - lastUp < EFFECT_MS,
    gestures: {
      onWheel({ deltaY, timeStamp }) {
        if (deltaY < 0) lastUp = timeStamp;
      },
      onKeyDown({ key, timeStamp }) {
        if (KEYS.has(key)) lastUp = timeStamp;
      },
      onTouchMove({ timeStamp }) {
        lastUp = timeStamp;
      },
      // The scrollbar belongs to the element itself. Its release shows only in the next pointer move over the page.
      onPointerDown({ target, currentTarget }) {
        isDragging = target === currentTarget;
      },
      onPointerMove({ buttons, timeStamp }) {
        if (isDragging && buttons === 0) lastUp = timeStamp;
        if (buttons === 0) isDragging = false;
      },
    },
  };
}
