import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened } from './support/open-browser.js';

/** The paths of everything that the service worker has cached. */
const CACHED = `(async () => {
  const caching = (await caches.keys()).map(async (name) => await (await caches.open(name)).keys());
  return (await Promise.all(caching)).flat().map(({ url }) => new URL(url).pathname);
})()`;
/** Without a service worker, as on a first visit, but with a page that an older one had cached. */
const WITH_OLD_CACHE = `(async () => {
  const registration = await navigator.serviceWorker.ready;
  const { active } = registration;
  // While it activates, it still removes caches that aren't its own.
  while (active.state !== 'activated')
    await new Promise((changed) => active.addEventListener('statechange', changed, { once: true }));
  await (await caches.open('countersign-older')).put('/inbox', new Response('stale'));
  await registration.unregister();
})()`;

describe.runIf(hasBrowser)('the installed web app', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened.close());

  it('[PAGE5.1] caches only the app shell, removes older caches, and has a page for when the server is gone', async () => {
    const { page, context, complaints } = await opened.visit({ path: '/inbox', worker: true });
    const inbox = page.getByRole('heading', { name: 'Inbox' });
    const cached = async () => await page.evaluate<string[]>(CACHED);
    await expect.poll(cached).toContain('/offline.html');
    await page.evaluate(WITH_OLD_CACHE);
    expect(await cached()).toContain('/inbox');
    await page.reload();
    await inbox.waitFor();
    await expect.poll(cached).not.toContain('/inbox');
    // Through the worker.
    await page.reload();
    await inbox.waitFor();
    const isShell = (path: string): boolean =>
      /^\/assets\/[\w.-]+-[\w-]{8}\.(?:js|css)$|^\/(?:offline\.(?:html|css)|mark\.svg)$/.test(path);
    expect((await cached()).filter((path) => !isShell(path))).toEqual([]);
    expect(complaints).toEqual([]);

    await context.setOffline(true);
    await page.goto(`${opened.serving.url}/inbox`);
    await page.getByRole('heading', { name: "The server can't be reached" }).waitFor();
    await context.setOffline(false);
    await page.getByRole('link', { name: 'Try again' }).click();
    await inbox.waitFor();
  });
});
