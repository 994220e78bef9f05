import { subscription } from './subscription.js';

/** Why this browser can't get notifications. `install`: only the installed app can, on iPhone and iPad. */
export type PushProblem = 'insecure' | 'unsupported' | 'install' | 'denied';

export function findPushProblem(): PushProblem | undefined {
  if (!globalThis.isSecureContext) return 'insecure';
  if ('serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis)
    return Notification.permission === 'denied' ? 'denied' : undefined;
  const isApple =
    /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
  return isApple ? 'install' : 'unsupported';
}

/** Asks the person, then subscribes this browser. Undefined if they refuse. */
export async function subscribeBrowser(applicationServerKey: string): Promise<PushSubscriptionJSON | undefined> {
  if ((await Notification.requestPermission()) !== 'granted') return undefined;
  // With another key of the server, the browser would refuse the new subscription.
  await (await subscription())?.unsubscribe();
  const { pushManager } = await navigator.serviceWorker.ready;
  return (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })).toJSON();
}

export async function unsubscribeBrowser(): Promise<void> {
  await (await subscription())?.unsubscribe();
}
