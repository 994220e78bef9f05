import { useEffect, useRef } from 'react';

/** Alt+N, a combination that types no letter. Focuses the waiting card and approves nothing. */
export function useGoToWaiting(go: () => void): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // With Option held down, a Mac reports the key as what it would type: `Dead`.
      if (!event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.code !== 'KeyN' && event.key.toLowerCase() !== 'n') return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
