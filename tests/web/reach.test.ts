import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import {
  answersFrom,
  asks,
  button,
  call,
  decide,
  decided,
  drawn,
  focused as hasFocus,
  giveReason,
  goTo,
  press,
  ready,
  remarked,
  said,
  toolCard,
  write,
  wrote,
} from './support/steps.js';

/** What a screen reader announces after a button's name. */
async function descriptionOf(page: Page, each: Locator): Promise<string> {
  const id = await each.getAttribute('aria-describedby');
  return id === null ? '' : (await page.locator(`[id="${id}"]`).innerText()).replace(/\s+/g, ' ').trim();
}

/** The name of the focused card. */
async function focusedRegion(page: Page): Promise<string> {
  return await page.evaluate<string>(
    `document.activeElement?.matches('section')
      ? document.getElementById(document.activeElement.getAttribute('aria-labelledby'))?.textContent ?? '' : ''`,
  );
}

/** Waiting cards can be reached with the announced key at every width, and appear only on request. */
describe.runIf(hasBrowser)('reaching waiting cards', () => {
  let opened: Opened;
  let visit: Visit;
  const enter = async (width: number): Promise<{ page: Page; world: string; chat: string }> => {
    const { path, ...ids } = await opened.newChat();
    await visit.page.setViewportSize({ width, height: 800 });
    await goTo(visit.page, path);
    await visit.page.getByLabel('Message').waitFor();
    return { page: visit.page, ...ids };
  };
  /** The title of the focused card. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate<string>(`(() => {
      const { activeElement } = document;
      return activeElement?.matches('section') ? activeElement.querySelector('h3')?.textContent ?? '' : '';
    })()`);
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ clock: true });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[CALL15] Alt+N reaches a question as well as a call, whatever letter the keyboard layout produces', async () => {
    const { page, world, chat } = await enter(1440);
    const content = [press('reach-a'), call('ask_human', { question: 'Red or blue?' })].join('\n');
    await opened.api.send(world, chat, { content });
    await page.getByRole('list', { name: 'Also waiting' }).getByText('Red or blue?').waitFor();
    await ready(page, 'Approve once');
    await page.keyboard.press('Alt+n');
    await expect.poll(() => focused(page)).toContain('wants to use');
    await page.keyboard.press('o');
    // A keyboard user continues with the next one, even if that is a question.
    await expect.poll(() => focused(page)).toContain('asks');
    await page.getByLabel('Message').focus();
    await page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Dead', code: 'KeyN', altKey: true, bubbles: true }))`,
    );
    await expect.poll(() => focused(page)).toContain('asks');
    // `o` approves calls; a question is answered with text.
    await page.keyboard.press('o');
    await page.getByLabel('Your answer').fill('blue');
    await decide(page, 'Answer');
    await said(page, 'Finished.').waitFor();
    expect(opened.ran).toContain('reach-a');
  });

  itAtFullSize('[CALL15] Alt+N focuses the card in the inbox, which says how many are waiting', async () => {
    const { page, world, chat } = await enter(1440);
    await opened.api.send(world, chat, { content: press('reach-inbox') });
    await page.getByRole('link', { name: /Inbox/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page
      .getByRole('status')
      .getByText(/1 waiting for you/)
      .waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+n');
    await expect.poll(() => focused(page)).toContain('wants to use');
    await ready(page, 'Deny');
    await expect.poll(() => focused(page)).toContain('wants to use');
    await page.keyboard.press('d');
    await page.getByText('Nothing is waiting for you.').waitFor();
  });

  it('[CALL15.3] Alt+N goes to a waiting call from any page', async () => {
    const { page, world, chat } = await enter(1440);
    await goTo(page, '/providers');
    await page.keyboard.press('Alt+n');
    await remarked(page, 'Nothing is waiting for you.');
    await opened.api.send(world, chat, { content: press('reach-far') });
    await page.getByRole('link', { name: 'Inbox 1' }).waitFor();
    await page.keyboard.press('Alt+n');
    await expect.poll(() => focused(page)).toContain('wants to use');
    expect(page.url()).toContain(chat);
    await ready(page, 'Deny');
    await page.keyboard.press('d');
    await said(page, 'Finished. denied').waitFor();
  });

  it('[CALL15] on a phone, Alt+N opens the sheet; after Review it shows the current waiting calls, and it never opens on its own', async () => {
    const { page, world, chat } = await enter(420);
    const bar = page.getByRole('button', { name: /1 waiting for you/ });
    const sheet = page.getByRole('dialog', { name: 'Waiting for you' });
    await opened.api.send(world, chat, { content: press('sheet-a') });
    await bar.waitFor();
    await page.keyboard.press('Alt+n');
    await sheet.waitFor();
    await expect.poll(() => focused(page)).toContain('wants to use');
    await page.keyboard.press('Escape');
    await expect.poll(() => sheet.count()).toBe(0);

    await toolCard(page, 'sheet-a').getByRole('button', { name: 'Review' }).click();
    await expect.poll(() => focused(page)).toContain('wants to use');
    await decide(page, 'Deny');
    await said(page, 'Finished. denied').waitFor();
    await expect.poll(() => sheet.count()).toBe(0);
    // [PAGE1.4] The bar that opened the sheet is gone.
    await hasFocus(page.getByLabel('Message'));
    await opened.api.send(world, chat, { content: press('sheet-b') });
    await bar.waitFor();
    expect(await sheet.count()).toBe(0);
    await bar.click();
    await sheet.getByText('sheet-b').first().waitFor();
    expect(await sheet.getByRole('region', { name: /^Decided/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => sheet.count()).toBe(0);

    // Rotate a tablet after opening a card with Review next to the transcript.
    await page.setViewportSize({ width: 1440, height: 800 });
    await toolCard(page, 'sheet-b').getByRole('button', { name: 'Review' }).click();
    await expect.poll(() => focused(page)).toContain('wants to use');
    await page.setViewportSize({ width: 420, height: 800 });
    await bar.waitFor();
    expect(await sheet.count()).toBe(0);
    expect((await opened.api.approvals(world)).items).toHaveLength(1);
    // Outside that chat, only the link to the inbox shows it.
    await goTo(page, `/w/${world}`);
    await page.getByRole('button', { name: /^Chats and agents, \d+ in your inbox$/ }).waitFor();
  });

  itAtFullSize('tells screen reader users which item each button of a list belongs to', async () => {
    const { page, world, chat } = await enter(1440);
    await opened.api.createAgent(world, { name: 'Bea', provider: 'obedient', model: 'test', tools: ['*'] });
    for (const name of ['one', 'two'])
      await opened.api.addMcpServer(world, { name, transport: 'stdio', command: 'false', enabled: false });
    for (const name of ['Ada', 'Bea']) {
      await opened.api.send(world, chat, { content: `@${name}\n${press(`grant ${name}`)}` });
      await expect.poll(async () => (await opened.api.approvals(world)).items.length).toBe(1);
      const [asked] = (await opened.api.approvals(world)).items;
      if (asked === undefined) throw new Error('nothing was asked');
      await opened.api.decide(world, asked, { decision: 'approve', scope: 'session' });
      await expect.poll(async () => (await opened.api.chat(world, chat)).status).toBe('idle');
    }
    for (const [where, words] of [
      ['agents', ['Ada', 'Bea']],
      ['grants', ['Ada', 'Bea'].map((name) => `${name} may use press for calls like button='grant ${name}'`)],
      ['servers', ['one', 'two']],
    ] as const) {
      await goTo(page, `/w/${world}/${where}`);
      const cards = page
        .getByRole('main')
        .getByRole('listitem')
        .filter({ has: page.getByRole('button') });
      const heard = async (): Promise<string[][]> => {
        const all: string[][] = [];
        for (const card of await cards.all()) {
          const names = (await card.getByRole('button').all()).map((each) => descriptionOf(page, each));
          all.push([...new Set(await Promise.all(names))]);
        }
        return all;
      };
      // The names of agents may load after their content.
      await expect.poll(heard).toEqual(words.map((name) => [name]));
    }
    // [CALL1.5] Trust lets read-only tools run without approval, so it is confirmed first.
    await button(page, 'Trust').first().click();
    await page
      .getByRole('dialog')
      .getByText('Its other tools still need approval unless a rule allows them.')
      .waitFor();
    await button(page, 'Cancel').click();
    expect((await opened.api.mcpServers(world)).items.map(({ trusted }) => trusted)).toEqual([false, false]);
    await button(page, 'Trust').first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trust', exact: true }).click();
    await page.getByText('trusted', { exact: true }).waitFor();
    expect((await opened.api.mcpServers(world)).items.map(({ trusted }) => trusted)).toEqual([true, false]);
  });

  /** Input meant for something else must not become a decision. */
  describe('an approval that appears at a bad moment', () => {
    const enter = async (): Promise<{ page: Page; world: string; chat: string; path: string }> => {
      const chat = await opened.newChat();
      await visit.page.setViewportSize({ width: 1440, height: 800 });
      await goTo(visit.page, chat.path);
      await visit.page.getByLabel('Message').waitFor();
      return { page: visit.page, ...chat };
    };

    it('[CALL15] does not take the focus from someone who is typing, and their keys approve nothing', async () => {
      const { page, world, chat } = await enter();
      // The person just approved with the mouse and then types.
      await write(page, press('calm-a'));
      await decide(page, 'Approve once');
      await said(page, 'Finished. done').waitFor();
      await page.getByLabel('Message').click();
      await page.keyboard.type('and then ');
      await opened.api.send(world, chat, { content: press('calm-b') });
      await asks(page, 'calm-b').waitFor();
      const sent = answersFrom(page);
      await ready(page, 'Approve once');
      await page.keyboard.type('add a');
      expect(await page.getByLabel('Message').inputValue()).toBe('and then add a');
      expect(opened.ran).not.toContain('calm-b');
      await page.keyboard.press('Enter');
      await wrote(page, 'and then add a').waitFor();
      expect(sent).toEqual([]);
      expect(opened.ran).not.toContain('calm-b');
      expect((await opened.api.approvals(world)).items).toHaveLength(1);
    });

    itAtFullSize('[CALL15] if nothing has the focus, no key approves a call that appears later', async () => {
      const { page, world, chat } = await enter();
      await page.getByText('Nothing in this chat is waiting for you.').click();
      await opened.api.send(world, chat, { content: press('calm-d') });
      await asks(page, 'calm-d').waitFor();
      const sent = answersFrom(page);
      await ready(page, 'Approve once');
      for (const key of ['o', 'a', 'c', 'Enter', ' ', 'd', 'y']) await page.keyboard.press(key);
      await drawn(page);
      expect(sent).toEqual([]);
      expect((await opened.api.approvals(world)).items).toHaveLength(1);
      expect(opened.ran).not.toContain('calm-d');
    });

    itAtFullSize('after a call was decided elsewhere, the next one appears below it and can be approved', async () => {
      const { page, world, chat } = await enter();
      await opened.api.send(world, chat, { content: press('calm-e') });
      await button(page, 'Approve once').waitFor();
      const [first] = (await opened.api.approvals(world)).items;
      if (first === undefined) throw new Error('nothing was asked');
      await opened.api.decide(world, first, { decision: 'deny', reason: 'from elsewhere' });
      const story = page.getByRole('region', { name: /^Decided/ });
      await story.getByText(/Denied by .*from elsewhere/).waitFor();
      const { y } = (await story.boundingBox()) ?? { y: -1 };
      await opened.api.send(world, chat, { content: press('calm-f') });
      await asks(page, 'calm-f').waitFor();
      await ready(page, 'Approve once');
      expect((await story.boundingBox())?.y).toBe(y);
      await decide(page, 'Approve once');
      await toolCard(page, 'calm-f').getByText('approved once', { exact: true }).waitFor();
      await expect.poll(() => opened.ran).toContain('calm-f');
      expect(opened.ran).not.toContain('calm-e');
    });

    itAtFullSize('the visible call is not replaced when it is decided elsewhere while others wait', async () => {
      const { page, world, chat } = await enter();
      await opened.api.send(world, chat, { content: ['calm-g', 'calm-h'].map(press).join('\n') });
      await page.getByRole('list', { name: 'Also waiting' }).waitFor();
      const [first] = (await opened.api.approvals(world)).items;
      if (first === undefined) throw new Error('nothing was asked');
      await opened.api.decide(world, first, { decision: 'deny' });
      await decided(page, 'calm-g').waitFor();
      expect(await button(page, 'Approve once').count()).toBe(0);
      await button(page, 'Next (1 waiting)').click();
      await asks(page, 'calm-h').waitFor();
    });

    itAtFullSize(
      '[CALL15] Review focuses the card once, and never a card that appears later while someone types',
      async () => {
        const { page, world, chat } = await enter();
        await opened.api.send(world, chat, { content: press('calm-j') });
        await button(page, 'Review').click();
        await expect.poll(() => focusedRegion(page)).toMatch(/wants to/);
        await ready(page, 'Approve once');
        await page.getByLabel('Message').click();
        await page.keyboard.type('first ');
        const [first] = (await opened.api.approvals(world)).items;
        if (first === undefined) throw new Error('nothing was asked');
        await opened.api.decide(world, first, { decision: 'deny', reason: 'from elsewhere' });
        await decided(page, 'calm-j').waitFor();
        await opened.api.send(world, chat, { content: press('calm-k') });
        await asks(page, 'calm-k').waitFor();
        const sent = answersFrom(page);
        await ready(page, 'Approve once');
        await page.keyboard.type('and a');
        expect(await page.getByLabel('Message').inputValue()).toBe('first and a');
        await drawn(page);
        expect(sent).toEqual([]);
        expect((await opened.api.approvals(world)).items).toHaveLength(1);
        expect(opened.ran).not.toContain('calm-k');
      },
    );

    itAtFullSize('going back with a dialog open closes it and approves nothing', async () => {
      const { page, world, chat, path } = await enter();
      await page.getByRole('link', { name: 'World settings' }).click();
      await page.getByRole('heading', { level: 1, name: 'Policy' }).waitFor();
      await page.goBack();
      await opened.api.send(world, chat, { content: press('calm-i') });
      await button(page, 'Chat menu').click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByRole('dialog').waitFor();
      await page.goBack();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await goTo(page, path);
      await button(page, 'Approve once').waitFor();
      expect((await opened.api.approvals(world)).items).toHaveLength(1);
      expect(opened.ran).not.toContain('calm-i');
    });
  });

  itAtFullSize(
    '[CALL15] the Enter that ends an IME composition denies nothing, and the page works without desktop notifications',
    async () => {
      const { page, world, chat } = await enter(1440);
      await page.evaluate(`
      globalThis.Notification = Object.assign(function () { globalThis.tried = true; throw new TypeError('Illegal constructor.'); }, { permission: 'granted' });
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      document.hasFocus = () => false;
      document.dispatchEvent(new Event('visibilitychange'));
    `);
      const answers = answersFrom(page);
      await opened.api.send(world, chat, { content: press('composed') });
      await giveReason(page, 'にほん');
      await ready(page, 'Deny');
      await page.evaluate(`(() => {
      const field = document.querySelector('input[placeholder^="Why not"]');
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }));
    })()`);
      await expect.poll(() => page.evaluate('globalThis.tried')).toBe(true);
      await drawn(page);
      expect(answers).toEqual([]);
      await page.getByLabel('Reason', { exact: true }).press('Enter');
      await said(page, 'Finished. denied: にほん').waitFor();
    },
  );

  it('causes no errors on the page', () => {
    expect(visit.complaints).toEqual([]);
  });
});
