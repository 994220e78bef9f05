import { useEffect, useRef } from 'react';

/** Handles Alt+N, which types no letter. Focuses the waiting card and approves nothing. */
export function useGoToWaiting(go: () => void): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // While Option is held down, a Mac reports the character that would be typed instead of the key: `Dead`.
      if (!event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.code !== 'KeyN' && event.key.toLowerCase() !== 'n') return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
