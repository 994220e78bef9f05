import { navigate } from 'wouter/use-browser-location';
import type { OpenPath } from './scope.js';

/** Browsers offer service workers only over HTTPS and on localhost. Without one, the page works as before. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return;
  navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => undefined);
  // Someone opened a notification.
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<OpenPath>) => navigate(data.open));
}
