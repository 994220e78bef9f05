import { useEffect, useRef } from 'react';

/** How long a card has been on the screen: time in a hidden tab doesn't count. */
export function useShownMs(key: string): () => number {
  const shown = useRef<{ passed: number; since: number | undefined }>({ passed: 0, since: undefined });
  useEffect(() => {
    const state = { passed: 0, since: document.hidden ? undefined : performance.now() };
    shown.current = state;
    const change = (): void => {
      state.passed += state.since === undefined ? 0 : performance.now() - state.since;
      state.since = document.hidden ? undefined : performance.now();
    };
    document.addEventListener('visibilitychange', change);
    return () => document.removeEventListener('visibilitychange', change);
  }, [key]);
  return () => {
    const { passed, since } = shown.current;
    return Math.round(passed + (since === undefined ? 0 : performance.now() - since));
  };
}
