import type { BrowserContext, Page } from 'playwright-core';

/** What the service worker shows. */
export const SHOWN = `registration.getNotifications().then((shown) =>
  shown.map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ action }) => action) })))`;

/** Nobody can click a notification of a browser without a screen. */
export const clickInWorker = (action: string): string => `registration.getNotifications().then(([notification]) =>
  void dispatchEvent(new NotificationEvent('notificationclick', { notification, action: ${JSON.stringify(action)} })))`;

export const inWorker = async (context: BrowserContext, script: string): Promise<unknown> =>
  await context.serviceWorkers()[0]?.evaluate(script);

/** Hands messages to the service worker of a page, as the push service of the browser would, also after the page is closed. */
export async function openWorker(page: Page): Promise<(message: object) => Promise<void>> {
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  const origin = new URL(page.url()).origin;
  return async (message) => {
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) });
  };
}
