import { publishMessage, decideCall, setPolicy } from '@countersign/core';
import { SYSTEM } from '@countersign/protocol';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, decide, decided, goTo, overflow, press, remarked, toolCard, write } from './support/steps.js';
import { violations } from './support/violations.js';

const system = { who: SYSTEM, via: 'test' };

describe.runIf(hasBrowser)('a call that several people must sign', () => {
  let opened: Opened;
  let owner: Visit;
  let eve: Page;
  beforeAll(async () => {
    opened = await openBrowser();
    await opened.api.addPerson({ name: 'Ada Lovelace', role: 'approver' });
    await opened.api.addPerson({ name: 'Eve', role: 'viewer' });
    await opened.api.putGroup('finance', { people: ['owner', 'ada-lovelace'] });
    owner = await opened.visit({ clock: true });
    const { open } = await opened.api.invitePerson('eve');
    ({ page: eve } = await opened.visit({ path: '/inbox', width: 390, clock: true, invitation: open }));
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  const title = (page: Page): Promise<string> => page.evaluate<string>('document.title');
  /** A chat that both people look at, in a world with this rule. */
  const enter = async (rule: string): Promise<{ world: string; chat: string; path: string }> => {
    const there = await opened.newChat();
    await setPolicy(opened.serving.home.engine.runtime, there.world, [rule], system);
    for (const page of [owner.page, eve]) {
      await goTo(page, there.path);
      await page.getByLabel('Message').waitFor();
    }
    return there;
  };

  it('[SIGN1.3] [SIGN1.10] [SIGN1.11] the card says who signed and who can, and waits only for them', async () => {
    const { page, complaints } = owner;
    const { world, chat, path } = await enter('ask press by 2 of @finance');
    await write(page, press('pay'));
    await page.getByText('Needs 2 of Finance', { exact: true }).waitFor();
    // Neither a wider scope nor an edit is offered.
    expect(await button(page, 'More choices').count()).toBe(0);
    await page.getByText('o approves once, d denies and n shows').waitFor();

    // Someone whose role can't decide sees only that.
    await eve.getByRole('button', { name: '1 waiting for others' }).click();
    await eve.getByText("Your role can't approve or deny calls. Approvers can.").waitFor();
    expect([await button(eve, 'Approve once').count(), await button(eve, 'Deny').count()]).toEqual([0, 0]);
    // Someone whose signature doesn't count sees who can sign, and can only deny.
    await opened.api.updatePerson('eve', { role: 'approver' });
    await eve.clock.fastForward(30_000);
    await eve.getByText(/^\w.* or Ada Lovelace can sign\.$/).waitFor();
    expect(await button(eve, 'Approve once').count()).toBe(0);
    expect(await button(eve, 'Deny').count()).toBe(1);
    expect([await title(eve), await overflow(eve)]).toEqual(['Countersign', 0]);

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
    expect(await violations(page, { within: 'main' })).toEqual([]);
    await goTo(page, path);
    expect(opened.ran).toEqual([]);

    // People leave and join the group while the chat is open.
    await opened.api.putGroup('finance', { people: ['owner'] });
    await page.getByText('You signed · 1 more of Finance needed · stuck: only one person may sign').waitFor();
    await opened.api.putGroup('finance', { people: ['owner', 'eve'] });
    await page.getByText('You signed · 1 more of Finance needed', { exact: true }).waitFor();
    await eve.getByText(/^Needs 2 of Finance · signed by .+ from Chrome on \w+, 1 more$/).waitFor();
    await decide(eve, 'Approve once');
    await page.getByText(/Finished/).waitFor();
    expect(opened.ran).toEqual(['pay']);
    const story = /^Approved once by you, from Chrome on \w+, and Eve, from Chrome on \w+, /;
    await decided(page, 'pay').getByText(story).waitFor();

    // Messages of other people show their names, here and in search results.
    const who = { kind: 'person', id: 'grace', name: 'Grace Hopper' } as const;
    const { runtime } = opened.serving.home.engine;
    await publishMessage(runtime, { worldId: world, chatId: chat, speaker: 'human', content: 'Paid at last', who });
    await page.getByRole('article', { name: 'Grace Hopper', exact: true }).getByText('Paid at last').waitFor();
    expect(await page.getByRole('article', { name: 'you', exact: true }).count()).toBe(1);
    await goTo(page, `/w/${world}/search?q=paid`);
    await page.getByRole('link').filter({ hasText: 'Grace Hopper' }).getByText('Paid at last').waitFor();

    // [HTTP12] The statistics of one person.
    await opened.api.send(world, chat, { content: press('refund') });
    await expect.poll(async () => (await opened.api.approvals(world)).items.length).toBe(1);
    const [refund] = (await opened.api.approvals(world)).items;
    const denial = { tool_call_id: refund?.approvalId ?? '', decision: 'deny' } as const;
    await decideCall(runtime, world, undefined, denial, { who, via: 'test' });
    await goTo(page, `/w/${world}/stats`);
    const decisions = page.getByRole('table').first();
    await decisions.getByRole('row', { name: 'press 1 1' }).waitFor();
    await page.getByLabel('Decided by').selectOption('Eve');
    await decisions.getByRole('row', { name: 'press 1 0' }).waitFor();
    expect(complaints).toEqual([]);
  });

  itAtFullSize('[SIGN4] [SIGN4.5] [SIGN4.6] someone who is away lets another person sign for them', async () => {
    const { page, complaints } = owner;
    const { name } = await opened.api.me();
    const { world, chat, path } = await enter('ask press by @owner');
    await goTo(page, '/account');
    const away = page.getByRole('region', { name: "While you're away" });
    await away.getByText('Nobody signs for you.').waitFor();
    await button(page, 'Choose someone').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Who signs for you').selectOption('Eve');
    await dialog.getByLabel('Tools').fill('press(pay)');
    await button(page, 'Let them sign').click();
    await dialog.getByText(/must be the name of a tool/i).waitFor();
    await dialog.getByLabel('Tools').fill('pre*');
    await dialog.getByLabel('Last day').fill('2020-01-01');
    await button(page, 'Let them sign').click();
    await dialog.getByText(/must be in the future/i).waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByLabel('Last day').fill(new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10));
    await button(page, 'Let them sign').click();
    await remarked(page, 'Eve can sign for you.');
    await away.getByText('Eve signs for you').waitFor();
    await away.getByText(/^pre\* · all worlds · until /).waitFor();
    expect(await violations(page, { within: 'main' })).toEqual([]);

    // The call waits for Eve too, whose card says for whom she signs.
    await goTo(page, path);
    await opened.api.send(world, chat, { content: press('invoice') });
    await button(page, 'Approve once').waitFor();
    await eve.getByRole('button', { name: '1 waiting for you' }).click();
    await eve.getByText(`You can sign for ${name}.`).waitFor();
    expect([await title(eve), await overflow(eve)]).toEqual(['(1) Countersign', 0]);
    expect(await violations(eve, { within: 'dialog[open]' })).toEqual([]);
    await decide(eve, 'Approve once');
    await decided(page, 'invoice')
      .getByText(/^Approved once by Eve, for .+, from Chrome on \w+, /)
      .waitFor();
    expect(opened.ran).toContain('invoice');
    await goTo(page, `/w/${world}/audit`);
    await page
      .getByText(new RegExp(`^Eve, for ${name}, from Chrome on \\w+$`))
      .last()
      .waitFor();

    // Ended on a phone: the next call waits for the owner alone.
    await goTo(page, '/account');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(page)).toBe(0);
    await away.getByRole('button', { name: 'End' }).click();
    await remarked(page, 'Eve no longer signs for you.');
    await away.getByText('Nobody signs for you.').waitFor();
    await opened.api.send(world, chat, { content: press('refund') });
    await eve.getByRole('button', { name: '1 waiting for others' }).click();
    await eve.getByText(`${name} can sign.`, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
