import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addAuthenticator } from './support/authenticator.js';
import { isFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf } from './support/open-browser.js';
import { button, goTo, holdAnswer, overflow, press, remarked, tabTo } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('passkeys', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[WHO6.1] [WHO1.11] [PAGE1.7] a person adds, confirms and removes passkeys and signs in with one, with keys alone', async () => {
    const { page, complaints } = await opened.visit({ path: '/people' });
    expect(new URL(page.url()).hostname).toBe('localhost');
    const laptop = await addAuthenticator(page);
    const passkeys = page.getByRole('region', { name: 'Passkeys' });
    const listed = passkeys.getByRole('listitem');
    // [PAGE1.7] The list is read before the first passkey is added, but arrives after it.
    const arrives = await holdAnswer(page, '**/api/people/*/passkeys');
    await goTo(page, '/account');
    await arrives.asked;

    // Cancelled: nothing is registered.
    await laptop.answers(false);
    await tabTo(page, 'Add a passkey');
    await page.keyboard.press('Enter');
    await remarked(page, 'The passkey prompt was cancelled or timed out. Nothing changed.');
    await laptop.answers(true);

    // The first passkey of the server is trusted; the next one, on another device, is not.
    await page.keyboard.press('Enter');
    await remarked(page, 'Passkey added.');
    arrives.letGo();
    await listed.filter({ hasText: 'trusted' }).waitFor();
    await button(page, 'Add a passkey').click();
    await remarked(page, 'This device already has a passkey for your account.');
    const key = await addAuthenticator(page, 'usb');
    await laptop.putAside(true);
    await button(page, 'Add a passkey').click();
    await remarked(page, 'Passkey added. Confirm it with a trusted passkey');
    await listed.filter({ hasText: 'not trusted yet' }).waitFor();
    expect(await listed.count()).toBe(2);
    expect(await violations(page, { within: 'main' })).toEqual([]);

    // The new one can't confirm itself; the trusted one can.
    const dialog = page.getByRole('dialog');
    await tabTo(page, 'Confirm…');
    await page.keyboard.press('Enter');
    await dialog.getByText('Confirm it only if you added it yourself.').waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await laptop.putAside(false);
    await key.putAside(true);
    await laptop.answers(false);
    await button(page, 'Confirm with a trusted passkey').click();
    await page.getByText('The passkey prompt was cancelled or timed out. Nothing changed.').waitFor();
    await laptop.answers(true);
    await button(page, 'Confirm with a trusted passkey').click();
    await remarked(page, 'Passkey confirmed. It can sign calls now.');
    await expect.poll(() => passkeys.getByText('not trusted yet').count()).toBe(0);

    // [SIGN2.5] Rules that require a passkey are only removed with one.
    const { world, path } = await opened.newChat();
    const rule = 'ask press with passkey';
    const rulesNow = async (): Promise<readonly string[]> => [
      ...(await opened.api.policy(world)).value.rules,
      ...((await opened.api.agent(world, 'ada')).value.policy ?? []),
    ];
    await opened.api.setPolicy(world, { rules: [rule] }, { ifMatch: (await opened.api.policy(world)).etag ?? '' });
    await opened.api.updateAgent(world, 'ada', { policy: [rule] });
    // [SIGN2.6] So are changes that would get around them.
    const getAround = async (): Promise<void> => {
      const modeNow = async (): Promise<string> => (await opened.api.world(world)).value.mode;
      await goTo(page, path.replace(/c\/.*/, 'settings'));
      await page.getByLabel('Mode', { exact: true }).selectOption('auto');
      await laptop.answers(false);
      await button(page, 'Save').click();
      await remarked(page, 'The passkey prompt was cancelled or timed out. Nothing changed.');
      expect(await modeNow()).toBe('ask');
      await laptop.answers(true);
      await button(page, 'Save').click();
      await expect.poll(modeNow).toBe('auto');
    };
    if (isFullSize) await getAround();
    await goTo(page, path.replace(/c\/.*/, 'policy?as=text'));
    await page.getByLabel('Rules', { exact: true }).fill('');
    await laptop.answers(false);
    await button(page, 'Save policy').click();
    await remarked(page, 'The passkey prompt was cancelled or timed out. Nothing changed.');
    expect(await rulesNow()).toEqual([rule, rule]);
    await laptop.answers(true);
    await button(page, 'Save policy').click();
    await expect.poll(rulesNow).toEqual([rule]);
    const removeElsewhere = async (): Promise<void> => {
      await goTo(page, path.replace(/c\/.*/, 'agents'));
      await button(page, 'Edit').click();
      await page.getByText('More', { exact: true }).click();
      await page.getByLabel("The agent's own rules").fill('');
      await button(page, 'Save').click();
      await expect.poll(rulesNow).toEqual([]);
      await opened.api.addPerson({ name: 'Cy', role: 'approver' });
      await goTo(page, '/account');

      // [SIGN4.4] So is a delegation.
      await button(page, 'Choose someone').click();
      await laptop.answers(false);
      await button(page, 'Let them sign').click();
      await remarked(page, 'The passkey prompt was cancelled or timed out. Nothing changed.');
      await laptop.answers(true);
      await button(page, 'Let them sign').click();
      await page.getByText('Cy signs for you').waitFor();
    };
    if (isFullSize) await removeElsewhere();
    else await goTo(page, '/account');

    // A trusted passkey is only removed with a trusted passkey, and never the last one.
    await listed.last().getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await remarked(page, 'Passkey removed.');
    await expect.poll(() => listed.count()).toBe(1);
    await listed.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await remarked(page, 'This is the last trusted passkey of this server.');
    await button(page, 'Cancel').click();

    const signAsBob = async (): Promise<void> => {
      // [SIGN2.9] Bob may sign, but needs a trusted passkey. His card says so, and the owner confirms his.
      await opened.api.addPerson({ name: 'Bob', role: 'approver' });
      const { world: lab, chat, path: chatPath } = await opened.newChat();
      await opened.api.setPolicy(lab, { rules: [rule] }, { ifMatch: (await opened.api.policy(lab)).etag ?? '' });
      await opened.api.send(lab, chat, { content: press('pay') });
      const { open } = await opened.api.invitePerson('bob');
      const bob = await opened.visit({ path: chatPath, invitation: open });
      await bob.page.getByText('You need a trusted passkey to sign this call.').waitFor();
      // Not only others must sign: he could, too.
      await bob.page.getByText('To sign this call, you need a trusted passkey.').waitFor();
      expect(await bob.page.getByRole('link', { name: 'Open your account' }).getAttribute('href')).toBe('/account');
      expect(await button(bob.page, 'Approve once').count()).toBe(0);
      expect(await violations(bob.page, { within: '[data-panel]' })).toEqual([]);
      await addAuthenticator(bob.page);
      // The list was read before he added the passkey, but arrives after it.
      const bobsArrive = await holdAnswer(bob.page, '**/api/people/bob/passkeys');
      await bob.page.getByRole('link', { name: 'Add or confirm a passkey' }).click();
      await bobsArrive.asked;
      await button(bob.page, 'Add a passkey').click();
      await remarked(bob.page, 'Passkey added.');
      bobsArrive.letGo();
      await bob.page.getByText('not trusted yet').waitFor();
      await goTo(bob.page, chatPath);
      await bob.page.getByText('You need a trusted passkey to sign this call.').waitFor();
      await goTo(page, '/people');
      await button(page, 'Confirm passkey…').click();
      await dialog.getByText('not trusted yet').waitFor();
      expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
      await button(page, 'Confirm…').click();
      await dialog.getByText('Ask Bob first whether they added it').waitFor();
      await button(page, 'Confirm with a trusted passkey').click();
      await remarked(page, 'Passkey confirmed. Bob can sign calls with it now.');
      await dialog.getByText('trusted', { exact: true }).waitFor();
      await button(page, 'Close').last().click();
      await expect.poll(() => button(page, 'Confirm passkey…').count()).toBe(0);
      await button(bob.page, 'Approve once').click();
      await expect.poll(() => opened.ran).toEqual(['pay']);
      expect(bob.complaints).toEqual([]);
      await bob.context.close();
      await goTo(page, chatPath.replace(/c\/.*/, 'settings'));
      await button(page, 'Delete world…').click();
      await dialog.getByLabel('Name of the world').fill((await opened.api.world(lab)).value.name);
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
      await expect.poll(async () => (await opened.api.worlds()).items.some(({ id }) => id === lab)).toBe(false);
      // The page leaves the deleted world by itself.
      await expect.poll(() => page.url()).not.toContain(`/w/${lab}/`);
      await goTo(page, '/account');
    };
    if (isFullSize) await signAsBob();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(page)).toBe(0);
    await key.remove();

    // Sign out, and in again with the passkey.
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
    await button(page, 'Sign in with a passkey').waitFor();
    expect(await violations(page)).toEqual([]);
    await laptop.answers(false);
    await tabTo(page, 'Sign in with a passkey');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Try again, or sign in another way.').waitFor();
    await laptop.answers(true);
    await button(page, 'Sign in with a passkey').click();
    await page.getByLabel('Message').waitFor();
    const { items } = await opened.api.sessions();
    expect(items.length).toBe(1);
    expect(complaints).toEqual([]);

    // At an IP address, browsers refuse passkeys.
    if (!isFullSize) return;
    await page.goto(page.url().replace('localhost', '127.0.0.1'));
    await button(page, 'Sign in with a passkey').click();
    await page
      .getByRole('alert')
      .getByText(/only work at http:\/\/localhost:\d+\. Open Countersign there\./)
      .waitFor();
  });
});
