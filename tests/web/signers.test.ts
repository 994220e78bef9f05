import { publishMessage, setPolicy } from '@countersign/core';
import { SYSTEM } from '@countersign/protocol';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, decide, decided, goTo, holdUp, overflow, press, remarked, toolCard, write } from './support/steps.js';
import { violations } from './support/violations.js';

const system = { who: SYSTEM, via: 'test' };

describe.runIf(hasBrowser)('a call that several people must sign', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
    await opened.api.addPerson({ name: 'Ada Lovelace', role: 'approver' });
    await opened.api.addPerson({ name: 'Eve', role: 'approver' });
    await opened.api.addPerson({ name: 'Vic', role: 'viewer' });
    await opened.api.putGroup('finance', { people: ['owner', 'ada-lovelace'] });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  const visitAs = async (person: string, path: string, width = 1440): Promise<Visit> => {
    const { open } = await opened.api.invitePerson(person);
    return await opened.visit({ path, width, clock: true, invitation: open });
  };
  const title = (page: Page): Promise<string> => page.evaluate<string>('document.title');

  it('[A48.3] [A48.9] [A48.10] the card says who signed and who can, and waits only for them', async () => {
    const { world, chat, path } = await opened.newChat();
    const { runtime } = opened.serving.home.engine;
    await setPolicy(runtime, world, ['ask press by 2 of @finance'], system);
    const { page, complaints } = await opened.visit({ path, clock: true });
    const { page: eve } = await visitAs('eve', path, 390);
    const { page: vic } = await visitAs('vic', path);
    await write(page, press('pay'));
    await page.getByText('Needs 2 of Finance', { exact: true }).waitFor();
    // Neither a wider scope nor an edit is offered.
    expect(await button(page, 'More choices').count()).toBe(0);
    await page.getByText('o approves once, d denies and n shows').waitFor();

    // Someone whose signature doesn't count sees who can sign, and can only deny.
    await eve.getByRole('button', { name: '1 waiting for others' }).click();
    await eve.getByText(/^\w.* or Ada Lovelace can sign\.$/).waitFor();
    expect(await button(eve, 'Approve once').count()).toBe(0);
    expect(await button(eve, 'Deny').count()).toBe(1);
    expect([await title(eve), await overflow(eve)]).toEqual(['Countersign', 0]);
    await vic.getByText("Your role can't approve or deny calls. Approvers can.").waitFor();
    expect([await button(vic, 'Approve once').count(), await button(vic, 'Deny').count()]).toEqual([0, 0]);

    // After the first signature, it no longer waits for this person.
    expect(await title(page)).toBe('(1) Countersign');
    await decide(page, 'Approve once');
    await page.getByText('You signed · 1 more of Finance needed', { exact: true }).waitFor();
    await remarked(page, 'Signed. This call needs more signatures.');
    expect([await button(page, 'Approve once').count(), await title(page)]).toEqual([0, 'Countersign']);
    await page.getByText('There, d denies and n shows the next one.').waitFor();
    await toolCard(page, 'pay').getByText('waiting for others').waitFor();
    await goTo(page, '/inbox');
    await page.getByText('Nothing is waiting for you. These calls are waiting for other people.').waitFor();
    await page.getByText('Ada Lovelace can sign.', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await goTo(page, path);
    expect(opened.ran).toEqual([]);

    // People leave the group while the chat is open.
    await opened.api.putGroup('finance', { people: ['owner'] });
    await page.getByText('You signed · 1 more of Finance needed · stuck: only one person may sign').waitFor();
    await opened.api.putGroup('finance', { people: ['owner', 'ada-lovelace'] });
    await page.getByText('You signed · 1 more of Finance needed', { exact: true }).waitFor();

    const { page: ada } = await visitAs('ada-lovelace', path);
    await ada.getByText(/^Needs 2 of Finance · signed by .+ from Chrome on \w+, 1 more$/).waitFor();
    await decide(ada, 'Approve once');
    await page.getByText(/Finished/).waitFor();
    expect(opened.ran).toEqual(['pay']);
    const story = /^Approved once by you, from Chrome on \w+, and Ada Lovelace, from Chrome on \w+, /;
    await decided(page, 'pay').getByText(story).waitFor();

    // A slower browser gets the name of the person who decided.
    await write(page, press('refund'));
    await ada.getByText('refund').first().waitFor();
    await button(ada, 'Approve once').waitFor();
    const { asked, letGo } = await holdUp(ada, /\/tool-results$/);
    await decide(ada, 'Approve once');
    await asked;
    await decide(eve, 'Deny');
    await decided(page, 'refund')
      .getByText(/^Denied by Eve, from Chrome on \w+/)
      .waitFor();
    letGo();
    await decided(ada, 'refund')
      .getByText(/^Denied by Eve, from Chrome on \w+/)
      .waitFor();
    expect(opened.ran).toEqual(['pay']);

    // Messages of other people show their names, here and in search results.
    const who = { kind: 'person', id: 'grace', name: 'Grace Hopper' } as const;
    await publishMessage(runtime, { worldId: world, chatId: chat, speaker: 'human', content: 'Paid at last', who });
    await page.getByRole('article', { name: 'Grace Hopper', exact: true }).getByText('Paid at last').waitFor();
    expect(await page.getByRole('article', { name: 'you', exact: true }).count()).toBe(2);
    await goTo(page, `/w/${world}/search?q=paid`);
    await page.getByRole('link').filter({ hasText: 'Grace Hopper' }).getByText('Paid at last').waitFor();
    expect(complaints).toEqual([]);
  });

  it('[A51] [A51.5] [A51.6] someone who is away lets another person sign for them', async () => {
    const { world, path } = await opened.newChat();
    await opened.api.addPerson({ name: 'Fay Wray', role: 'approver' });
    await opened.api.addPerson({ name: 'Gus', role: 'approver' });
    const { runtime } = opened.serving.home.engine;
    await setPolicy(runtime, world, ['ask press by @fay-wray'], system);
    const { page: fay, complaints } = await visitAs('fay-wray', '/account');
    const away = fay.getByRole('region', { name: "While you're away" });
    await away.getByText('Nobody signs for you.').waitFor();
    await button(fay, 'Choose someone').click();
    const dialog = fay.getByRole('dialog');
    await dialog.getByLabel('Who signs for you').selectOption('Gus');
    await dialog.getByLabel('Tools').fill('press(pay)');
    await button(fay, 'Let them sign').click();
    await dialog.getByText(/must be the name of a tool/i).waitFor();
    await dialog.getByLabel('Tools').fill('pre*');
    await dialog.getByLabel('Last day').fill('2020-01-01');
    await button(fay, 'Let them sign').click();
    await dialog.getByText(/must be in the future/i).waitFor();
    expect(await violations(fay)).toEqual([]);
    await dialog.getByLabel('Last day').fill(new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10));
    await button(fay, 'Let them sign').click();
    await remarked(fay, 'Gus can sign for you.');
    await away.getByText('Gus signs for you').waitFor();
    await away.getByText(/^pre\* · all worlds · until /).waitFor();
    expect(await violations(fay)).toEqual([]);

    // The call waits for Gus, whose card says for whom he signs.
    const { page } = await opened.visit({ path, clock: true });
    const { page: gus } = await visitAs('gus', path, 390);
    await write(page, press('invoice'));
    await page.getByText(/^Fay Wray or Gus can sign\.$/).waitFor();
    await gus.getByRole('button', { name: '1 waiting for you' }).click();
    await gus.getByText('You can sign for Fay Wray.').waitFor();
    expect([await title(gus), await overflow(gus)]).toEqual(['(1) Countersign', 0]);
    expect(await violations(gus)).toEqual([]);
    await decide(gus, 'Approve once');
    await decided(page, 'invoice')
      .getByText(/^Approved once by Gus, for Fay Wray, from Chrome on \w+, /)
      .waitFor();
    await goTo(page, `/w/${world}/audit`);
    await page
      .getByText(/^Gus, for Fay Wray, from Chrome on \w+$/)
      .last()
      .waitFor();

    // Ended on a phone: the next call waits for Fay alone.
    await fay.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(fay)).toBe(0);
    await away.getByRole('button', { name: 'End' }).click();
    await remarked(fay, 'Gus no longer signs for you.');
    await away.getByText('Nobody signs for you.').waitFor();
    await goTo(page, path);
    await write(page, press('refund'));
    await page.getByText(/^Fay Wray can sign\.$/).waitFor();
    expect(complaints).toEqual([]);
  });
});
