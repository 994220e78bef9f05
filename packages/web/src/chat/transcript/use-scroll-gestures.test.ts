import type { KeyboardEvent, PointerEvent, TouchEvent, WheelEvent } from 'react';
import { expect, it } from 'vitest';
import { createScrollGestures } from './use-scroll-gestures.js';

const wheel = (deltaY: number, timeStamp: number): WheelEvent<HTMLElement> =>
  ({ deltaY, timeStamp }) as WheelEvent<HTMLElement>;
const key = (name: string, timeStamp: number): KeyboardEvent<HTMLElement> =>
  ({ key: name, timeStamp }) as KeyboardEvent<HTMLElement>;

it('attributes scrolling to a person for one second after a wheel, key or touch event that scrolls up', () => {
  const { isScrollingUp, gestures } = createScrollGestures();
  expect(isScrollingUp(0)).toBe(false);
  gestures.onWheel?.(wheel(10, 0));
  gestures.onKeyDown?.(key('End', 0));
  expect(isScrollingUp(1)).toBe(false);
  gestures.onWheel?.(wheel(-10, 100));
  expect([isScrollingUp(101), isScrollingUp(1099), isScrollingUp(1100)]).toEqual([true, true, false]);
  gestures.onKeyDown?.(key('PageUp', 2000));
  expect([isScrollingUp(2001), isScrollingUp(3000)]).toEqual([true, false]);
  gestures.onTouchMove?.({ timeStamp: 4000 } as TouchEvent<HTMLElement>);
  expect([isScrollingUp(4001), isScrollingUp(5000)]).toEqual([true, false]);
});

it('includes dragging the scrollbar until it is released, but not a press on the content', () => {
  const { isScrollingUp, gestures } = createScrollGestures();
  const box = {} as HTMLElement;
  const press = (target: unknown): PointerEvent<HTMLElement> =>
    ({ target, currentTarget: box }) as PointerEvent<HTMLElement>;
  gestures.onPointerDown?.(press({}));
  expect(isScrollingUp(5)).toBe(false);
  gestures.onPointerDown?.(press(box));
  expect(isScrollingUp(60_000)).toBe(true);
  gestures.onPointerMove?.({ buttons: 0, timeStamp: 61_000 } as PointerEvent<HTMLElement>);
  expect([isScrollingUp(61_500), isScrollingUp(62_000)]).toEqual([true, false]);
});
