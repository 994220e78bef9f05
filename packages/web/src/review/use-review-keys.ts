import { useEffect, useRef } from 'react';
import { TYPED } from '../ui/typed.js';

/** These use the keys that scroll. */
const OWN_KEYS = 'button, a, summary, [data-reading]';

/**
 * Keys that only show something, so that they work wherever the focus is, except where they type text. `scroll` returns whether the key scrolls.
 */
export function useReviewKeys(keys: Readonly<Record<string, () => void>>, scroll: (key: string) => boolean): void {
  const latest = useRef({ keys, scroll });
  latest.current = { keys, scroll };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(target instanceof Element) || target.closest(TYPED) !== null) return;
      const act = Object.hasOwn(latest.current.keys, key) ? latest.current.keys[key] : undefined;
      // A virtual list doesn't know its height before it is drawn, so the browser would miss its end.
      const isEdge = key === 'End' || key === 'Home';
      // The card has acted on this key, such as the one that opens this screen.
      if (act !== undefined && event.defaultPrevented) return;
      if (act !== undefined) act();
      else if ((!isEdge && target.closest(OWN_KEYS) !== null) || !latest.current.scroll(key)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
