const NAME = 'countersign.looked-at';

/** Says to the other tabs that somebody looks at this one, as long as it is so. */
export function tellWhenLookedAt(): () => void {
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

/** Whether somebody looks at any tab of ours: then a note on the desktop tells them nothing new, once from every other tab. */
export async function isLookedAt(): Promise<boolean> {
  if (document.visibilityState === 'visible') return true;
  if (!('locks' in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === NAME);
}
