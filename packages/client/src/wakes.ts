/** Is given what to call when waiting makes no sense any more, and gives what ends that. */
export type Wakes = (wake: () => void) => () => void;

/** The network is back, or the page is looked at again. Outside a browser nothing wakes. */
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
