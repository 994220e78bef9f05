import { type HTMLAttributes, useState } from 'react';

/** How long after a wheel, key or touch event a scroll may still be its effect. */
const EFFECT_MS = 1000;
const KEYS = new Set(['ArrowUp', 'PageUp', 'Home', 'Tab', ' ']);

export interface ScrollGestures {
  /** Whether a person was or might have been scrolling up at the time of this event. */
  readonly isScrollingUp: (timeStamp: number) => boolean;
  /** Event handlers for the scrolled element. */
  readonly gestures: Pick<
    HTMLAttributes<HTMLElement>,
    'onWheel' | 'onKeyDown' | 'onTouchMove' | 'onPointerDown' | 'onPointerMove'
  >;
}

/** Distinguishes scrolling by a person from scrolling by the browser when content changes its size. */
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
      // Pressing the scrollbar targets the element itself. Its release is only noticed at the next pointer move over the page.
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
