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

/** Room for the column of approvals beside the transcript. */
export const DESK = '(min-width: 70rem)';
/** Room for the list of chats beside the page. */
export const TABLET = '(min-width: 48rem)';
