/** Registers a callback that ends a wait; the returned function unregisters it. */
export type Wakes = (wake: () => void) => () => void;

/** Fires when the browser is back online or its page is visible again. Never fires outside a browser. */
export function browserWakes(wake: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined;
  const seen = (): void => {
    if (document.visibilityState === 'visible') wake();
  };
  globalThis.addEventListener('online', wake);
  document.addEventListener('visibilitychange', seen);
  return () => {
    globalThis.removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', seen);
  };
}
