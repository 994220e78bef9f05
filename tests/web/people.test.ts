import { SESSION_HEADER } from '@countersign/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, goTo, overflow, remarked, tabTo } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('people', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ path: '/people' });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[WHO4.5] [WHO4.8] [SIGN1.9] the people page invites, changes, signs out and removes people, and names the rules that need them', async () => {
    const { world } = await opened.newChat();
    const { page, complaints } = visit;
    const main = page.getByRole('main');
    const dialog = page.getByRole('dialog');
    const act = async (name: string, action: string): Promise<void> => {
      await button(page, `Actions for ${name}`).click();
      await page.getByRole('menuitem', { name: action, exact: true }).click();
    };
    await button(page, 'Add person').click();
    await dialog.getByLabel('Name', { exact: true }).fill('Bob');
    await dialog.getByLabel('Email').fill('no address');
    await button(page, 'Add and create invitation').click();
    await dialog.getByText('Must be an email address').waitFor();
    await dialog.getByLabel('Email').fill('bob@example.com');
    await dialog.getByLabel('Role on the server').selectOption('approver');
    await button(page, 'Add and create invitation').click();
    const link = dialog.getByLabel('Invitation link');
    await dialog.getByText('This link only works on this machine.').waitFor();
    await dialog.getByText('It gives all rights of Bob.').waitFor();
    expect(await dialog.getByText(/earlier invitation/i).count()).toBe(0);
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    const invitation = await link.inputValue();
    await button(page, 'Done').click();

    // Bob signs in with it, and sees who may change people.
    const bob = await opened.visit({ path: '/', invitation });
    // An approver starts in the inbox, which says who they are.
    await bob.page.getByText('You are signed in as Bob, Approver.').waitFor();
    expect(new URL(bob.page.url()).pathname).toBe('/inbox');
    await goTo(bob.page, '/people');
    await bob.page.getByText('Only admins can change people.').waitFor();
    expect(await button(bob.page, 'Add person').count()).toBe(0);
    expect(await bob.page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);

    // [WHO4.2] So do other pages that an approver can't change.
    const others = [`/w/${world}/policy`, '/providers', `/w/${world}/agents`, `/w/${world}/servers`];
    for (const where of others.slice(0, isFullSize ? others.length : 1)) {
      await goTo(bob.page, where);
      await bob.page.getByText(/^Only admins( of the whole server)? can change this\./).waitFor();
      expect(
        await bob.page
          .getByRole('main')
          .getByRole('button', { name: /^(Save|Add|Edit)/, disabled: false })
          .count(),
      ).toBe(0);
    }
    expect(await violations(bob.page, { within: 'main' })).toEqual([]);

    const openAnotherDevice = async (): Promise<void> => {
      // [WHO2] He opens another device, which may sign, and sees which device it was.
      await goTo(bob.page, '/account');
      await button(bob.page, 'Open on another device').click();
      const bobs = bob.page.getByRole('dialog');
      await bobs.getByText('This link only works on this computer.').waitFor();
      await bobs.getByText(/^Works for \d+ s\.$/).waitFor();
      expect(await violations(bob.page, { within: 'dialog[open]' })).toEqual([]);
      const deviceLink = await bobs.getByLabel('Link', { exact: true }).inputValue();
      const phone = await opened.visit({ path: '/account', invitation: deviceLink, width: 390 });
      await button(bob.page, 'Confirm').click();
      await phone.page.getByText('Approver', { exact: true }).waitFor();
      await bobs.getByText(/^Signed in: Chrome on \w+, opened from Chrome on \w+\.$/).waitFor();
      await button(bob.page, 'Done').click();
      await phone.page.getByRole('button', { name: 'Add a passkey' }).waitFor();
      // [WHO5.1] An invitation would only let him read and chat, and says so before it is sent and after.
      await act('Bob', 'New invitation');
      await dialog.getByText('It only lets Bob read and chat').waitFor();
      const limited = new URL(await dialog.getByLabel('Invitation link').inputValue()).hash;
      await button(page, 'Done').click();
      await phone.page.evaluate(`location.hash = ${JSON.stringify(limited)}`);
      await phone.page.getByText('You opened an invitation while you were signed in elsewhere').waitFor();
      expect(await phone.page.getByText('limited token').count()).toBe(0);
      expect(await overflow(phone.page)).toBe(0);
      expect(await violations(phone.page, { within: 'main' })).toEqual([]);
      expect(phone.complaints).toEqual([]);
      await phone.context.close();
    };
    if (isFullSize) await openAnotherDevice();

    // A group with Bob in it, and a rule that needs him.
    await button(page, 'New group').click();
    await dialog.getByLabel('Group name').fill('Release');
    await dialog.getByLabel('Bob').check();
    await button(page, 'Save').click();
    await dialog.getByText('Can contain only lowercase letters').waitFor();
    await dialog.getByLabel('Group name').fill('release');
    await button(page, 'Save').click();
    await main.getByText('@release', { exact: true }).waitFor();
    const { etag, value } = await opened.api.policy(world);
    const rules = [...value.rules, 'ask press by @release'];
    await opened.api.setPolicy(world, { rules }, { ifMatch: etag ?? '' });

    await act('Bob', 'Sessions');
    await button(page, 'End all').click();
    await bob.page.getByText('This session has ended.').waitFor();
    // An invited person usually has no terminal on the server, and the connection is not the problem.
    await bob.page.getByText('ask an admin for a new invitation link').waitFor();
    expect(await bob.page.getByText('countersign open').count()).toBe(0);
    await bob.page.getByText('No connection to the server').waitFor({ state: 'detached' });
    await button(page, 'Close').last().click();
    await act('Bob', 'Disable');
    await dialog.getByText('ask press by @release').waitFor();
    await dialog.getByText('Member of @release.').waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
    await main.getByText('disabled', { exact: true }).waitFor();
    await main.getByText('Nobody can satisfy these rules.').waitFor();
    await act('Bob', 'Enable');
    await expect.poll(() => main.getByText('Nobody can satisfy these rules.').count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(page)).toBe(0);
    expect(await violations(page, { contrast: true })).toEqual([]);
    await act('Bob', 'Remove');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await remarked(page, 'Removed Bob.');
    expect((await opened.api.people()).items.map(({ name }) => name)).not.toContain('Bob');
    expect(complaints).toEqual([]);
    if (!isFullSize) return;
    // [WHO4.6] The server's log says who did it, also on a phone.
    await goTo(page, '/audit');
    await main.getByLabel('Contains').fill('bob: Bob');
    await main.getByText('person removed').waitFor();
    const { name } = await opened.api.me();
    await main.getByRole('listitem').filter({ hasText: 'person removed' }).getByText(name).waitFor();
    await button(page, 'Verify chain').click();
    await main.getByText(/records, chain intact/).waitFor();
    expect(await violations(page, { within: 'main' })).toEqual([]);
    expect(complaints).toEqual([]);

    // [WHO4.7] Without a role, a person can reach their account and sign out.
    await opened.api.addPerson({ name: 'Nora', role: null });
    const { open } = await opened.api.invitePerson('nora');
    // In the browser whose session has ended.
    const nora = bob;
    await nora.page.setViewportSize({ width: 390, height: 800 });
    await nora.page.goto(open);
    await nora.page.getByText('You can’t open any world yet.').waitFor();
    await button(nora.page, 'Account: Nora').click();
    await nora.page.getByRole('menuitem', { name: 'Account', exact: true }).click();
    await nora.page.getByRole('heading', { name: 'Account' }).waitFor();
    expect(await overflow(nora.page)).toBe(0);
    await nora.page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
    await nora.page.getByLabel('Or paste a token').waitFor();
  });

  itAtFullSize('[WHO4.2] says whom someone can ask who only reads, or who is admin of one world only', async () => {
    const { world } = await opened.newChat();
    const { api } = opened;
    await api.addPerson({ name: 'Ann Approver', role: 'approver' });
    await api.addPerson({ name: 'Alma Admin', role: 'admin' });
    const enter = async (name: string, role: 'viewer' | 'admin') => {
      const { id } = await api.addPerson({ name, role: null, worldRoles: { [world]: role } });
      const { open: invitation } = await api.invitePerson(id);
      return (await opened.visit({ path: `/w/${world}`, invitation })).page;
    };
    const viewer = await enter('Vic', 'viewer');
    await viewer.getByText(/^Only members can send messages here\. Ask \S+ or Alma Admin\.$/).waitFor();
    await viewer.getByText(/need approval unless a rule allows them/).waitFor();
    const admin = await enter('Wim', 'admin');
    await goTo(admin, `/w/${world}/start`);
    await admin.getByText(/^Only admins of the whole server can change this\. Ask \S+ or Alma Admin\.$/).waitFor();
    expect(await admin.getByRole('main').getByRole('button', { disabled: false }).count()).toBe(0);
  });

  it('[WHO1.9] [WHO5] the account page creates and revokes tokens, ends sessions and signs out, with keys alone', async () => {
    const { page, complaints } = visit;
    await page.setViewportSize({ width: 1440, height: 900 });
    await goTo(page, '/w/harbour');
    await page.getByLabel('Message').waitFor();
    // Another browser of the same person.
    const other = await signIn();
    expect(await statusFor(other)).toBe(200);
    // The menu, reached with keys alone.
    const { name } = await opened.api.me();
    await tabTo(page, `Account: ${name}`);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Account', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    const main = page.getByRole('main');
    await main.getByText('this device', { exact: true }).waitFor();
    await main.getByText('No passkeys.').waitFor();
    expect(await violations(page, { contrast: true })).toEqual([]);

    // A token is shown once.
    await tabTo(page, 'New token');
    await page.keyboard.press('Enter');
    await button(page, 'Create token').click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('backup');
    await page.keyboard.press('Enter');
    const shown = page.getByLabel('Token', { exact: true });
    await shown.waitFor();
    const token = await shown.inputValue();
    expect(token).toMatch(/^cs_/);
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await button(page, 'Done').click();
    await page.getByText('may read · never used').waitFor();
    expect(await main.innerHTML()).not.toContain(token);
    const withToken = { Authorization: `Bearer ${token}` };
    expect(await statusFor(withToken)).toBe(200);
    await button(page, 'Revoke').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await remarked(page, 'Revoked “backup”.');
    expect(await statusFor(withToken)).toBe(401);

    // The other browser is signed out at once, and so is this one on request.
    await button(page, 'End').click();
    await remarked(page, 'Session ended.');
    expect(await statusFor(other)).toBe(401);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(page)).toBe(0);
    await main.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Or paste a token').waitFor();
    expect(complaints).toEqual([]);
  });

  const statusFor = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(new URL('/api/me', headers['Origin'] ?? opened.serving.url), { headers })).status;

  /** Signs a browser in without opening a page, and returns the headers of its requests. */
  async function signIn(): Promise<Record<string, string>> {
    const { origin, hash } = new URL(opened.serving.newStartUrl());
    const response = await fetch(`${origin}/api/session`, {
      method: 'POST',
      headers: { Origin: origin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ticket: new URLSearchParams(hash.slice(1)).get('ticket') }),
    });
    const { session } = (await response.json()) as { session: string };
    return {
      Origin: origin,
      Cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
      [SESSION_HEADER]: session,
    };
  }
});
