const NAME = 'countersign.visible-tabs';

/** Tells the other tabs while this one is visible. */
export function tellWhenVisible(): () => void {
  if (!('locks' in navigator)) return () => undefined;
  let away = new AbortController();
  const look = (): void => {
    away.abort();
    away = new AbortController();
    const { signal } = away;
    if (document.visibilityState === 'hidden') return;
    navigator.locks
      .request(NAME, { mode: 'shared', signal }, async () => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      })
      .catch(() => undefined);
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    away.abort();
  };
}

/** Whether any of our tabs is visible: a desktop notification from another tab would then be redundant. */
export async function isAnyTabVisible(): Promise<boolean> {
  if (document.visibilityState === 'visible') return true;
  if (!('locks' in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === NAME);
}
