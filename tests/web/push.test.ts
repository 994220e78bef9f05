import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPushService, type PushService } from '../../packages/server/src/testing/push-service.js';
import { hasBrowser, openBrowser, picturesOf, type Opened } from './support/open-browser.js';
import { itAtFullSize } from '../support/scaled.js';
import { addAuthenticator } from './support/authenticator.js';
import { button, enabled, press, remarked } from './support/steps.js';
import { clickInWorker, inWorker, openWorker, SHOWN } from './support/worker.js';

const PAGES = `clients.matchAll({ type: 'window', includeUncontrolled: true }).then(({ length }) => length)`;
describe.runIf(hasBrowser)('notifications', () => {
  let service: PushService;
  let opened: Opened;
  beforeAll(async () => {
    service = await openPushService();
    const { named, ca = '' } = service.route;
    opened = await openBrowser({ push: { named, ca } });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(async () => {
    await opened.close();
    service.close();
  });

  /** A browser whose push service is ours: the browser's own is out of reach. */
  async function visit(name?: string) {
    const device = JSON.stringify(service.device(name));
    const { page, context, complaints } = await opened.visit({
      program: 'chromium',
      path: '/account',
      width: 390,
      height: 844,
      worker: true,
      script: `PushManager.prototype.subscribe = async () => ({ toJSON: () => (${device}) });`,
    });
    await context.grantPermissions(['notifications']);
    return { page, context, complaints, deliver: await openWorker(page) };
  }

  it('[PUSH1] [PUSH3] [PUSH3.4] [PUSH3.5] [PUSH4] reach a phone, open the card and deny the call', async () => {
    const { page, context, complaints, deliver } = await visit();
    const shown = (): Promise<unknown> => inWorker(context, SHOWN);
    await page.getByRole('button', { name: 'Turn on for this device' }).click();
    const device = page.getByRole('region', { name: 'Notifications' }).getByRole('listitem');
    await device.getByText('this device').waitFor();
    await device.getByRole('button', { name: 'Test' }).click();
    await page.getByText('Test notification sent.').waitFor();
    await deliver(await service.last(1));
    await expect.poll(shown).toMatchObject([{ title: 'Countersign', actions: ['review'] }]);

    await device.getByRole('button', { name: 'Quiet hours' }).click();
    const form = page.getByRole('dialog', { name: 'Quiet hours' });
    await form.getByLabel('From').fill('03:00');
    await form.getByLabel('Until').fill('03:00');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Must differ from the start').waitFor();
    await form.getByLabel('Until').fill('03:01');
    await form.getByRole('button', { name: 'Save' }).click();
    await device.getByText(/quiet from 03:00 to 03:01/).waitFor();
    await device.getByRole('button', { name: 'Quiet hours' }).click();
    for (const time of ['From', 'Until']) await form.getByLabel(time).fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await device.textContent()).not.toContain('quiet from');

    const { world, chat } = await opened.newChat();
    await opened.api.send(world, chat, { content: press('red') });
    const notice = await service.last(2);
    // Someone looks at the page.
    await deliver(notice);
    await deliver({ ...notice, tag: 'test', title: 'later' });
    await expect.poll(shown).toMatchObject([{ title: 'later' }]);
    const url = page.url();
    const leave = async (): Promise<void> => {
      await page.goto('about:blank');
      await expect.poll(() => inWorker(context, PAGES)).toBe(0);
    };
    await leave();
    await deliver({ ...notice, tag: 'test', closes: true });
    await deliver(notice);
    const { title } = notice;
    await expect.poll(shown).toEqual([{ title, body: 'red', actions: ['review', 'deny'] }]);
    await page.goto(url);
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await inWorker(context, clickInWorker('review'));
    await page.waitForURL(/\?approval=/);
    await page.getByRole('region', { name: /wants to/ }).waitFor();
    expect(await shown()).toEqual([]);
    // A forged link opens no other site.
    await deliver({ tag: 'test', path: 'https://evil.example/x', title: 'forged', body: '' });
    await expect.poll(shown).toMatchObject([{ title: 'forged' }]);
    await inWorker(context, clickInWorker('review'));
    await page.waitForURL('**/inbox');

    await leave();
    await deliver(notice);
    await expect.poll(shown).toMatchObject([{ actions: ['review', 'deny'] }]);
    await inWorker(context, clickInWorker('deny'));
    await expect.poll(async () => (await opened.api.approvals(world)).items).toEqual([]);
    expect(opened.ran).toEqual([]);
    await deliver(await service.last(3));
    // The code has worked once.
    await deliver(notice);
    await expect.poll(shown).toMatchObject([{ actions: ['review', 'deny'] }]);
    await inWorker(context, clickInWorker('deny'));
    await expect.poll(shown).toMatchObject([{ body: expect.stringContaining('not denied') as string, actions: [] }]);
    expect(complaints).toEqual([]);
  });

  itAtFullSize('[PUSH4] [SIGN2] open the card of a call that needs a passkey, which signs it there', async () => {
    const { page, context, complaints, deliver } = await visit('signer');
    await button(page, 'Turn on for this device').click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('this device').waitFor();
    await addAuthenticator(page);
    await button(page, 'Add a passkey').click();
    await remarked(page, 'Passkey added.');
    const { world, chat } = await opened.newChat();
    const { etag = '' } = await opened.api.policy(world);
    await opened.api.setPolicy(world, { rules: ['ask press with passkey'] }, { ifMatch: etag });
    await opened.api.send(world, chat, { content: press('gold') });
    const found = () =>
      service.delivered.find(({ path, notice }) => path === '/send/signer' && notice.path.includes(world))?.notice;
    await expect.poll(found).toBeDefined();
    // Someone looks at the page, so only *Review* of another notification could be shown.
    await deliver({ ...found(), tag: 'test' });
    await expect.poll(() => inWorker(context, SHOWN)).toMatchObject([{ body: 'gold' }]);
    await inWorker(context, clickInWorker('review'));
    await page.waitForURL(/\?approval=/);
    const approve = button(page, 'Approve once');
    await enabled(approve);
    await approve.click();
    await expect.poll(() => opened.ran).toEqual(['gold']);
    const { items } = await opened.api.audit(world);
    expect(items.filter(({ receipt }) => receipt !== undefined)).toMatchObject([{ decision: 'approve' }]);
    expect(complaints).toEqual([]);
  });
});
