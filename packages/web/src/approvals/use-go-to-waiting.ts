import { useEffect, useRef } from 'react';

/** Alt and N: two keys at once, so that it is no letter. Brings the focus to what waits, and signs nothing. */
export function useGoToWaiting(go: () => void): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // With Option held down, a Mac calls the key by what it would write: `Dead`.
      if (!event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.code !== 'KeyN' && event.key.toLowerCase() !== 'n') return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
