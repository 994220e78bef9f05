import { useEffect, useRef } from 'react';

/** What Alt+N does, in this order until one returns true. */
const goers: (() => boolean)[] = [];

function onKey(event: KeyboardEvent): void {
  // While Option is held down, a Mac reports the character that would be typed instead of the key: `Dead`.
  if (!event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.code !== 'KeyN' && event.key.toLowerCase() !== 'n') return;
  event.preventDefault();
  for (const go of goers) if (go()) return;
}

/** Handles Alt+N, which types no letter. Goes to a waiting card and approves nothing. `isLast`: only if no page did. */
export function useGoToWaiting(go: () => boolean, isLast = false): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const mine = (): boolean => latest.current();
    if (goers.length === 0) document.addEventListener('keydown', onKey);
    if (isLast) goers.push(mine);
    else goers.unshift(mine);
    return () => {
      goers.splice(goers.indexOf(mine), 1);
      if (goers.length === 0) document.removeEventListener('keydown', onKey);
    };
  }, [isLast]);
}
