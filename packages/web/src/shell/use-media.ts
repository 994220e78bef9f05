import { useSyncExternalStore } from 'react';

/** Whether a media query matches; re-renders on change. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Wide enough for the approval column next to the transcript. */
export const DESKTOP = '(min-width: 70rem)';
/** Wide enough for the old and the new text side by side. */
export const TWO_TEXTS = '(min-width: 1200px)';
/** Wide enough for the chat list next to the page. */
export const TABLET = '(min-width: 48rem)';
