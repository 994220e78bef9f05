import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, holdUp, press, said, sendByKey } from './support/steps.js';

/** What becomes of words while, and after, they are sent. */
describe.runIf(hasBrowser)('a message on its way', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** The next message arrives, and nobody hears of it. */
  async function loseTheAnswer(page: Page): Promise<void> {
    let isLost = false;
    await page.route('**/messages', async (route) => {
      if (isLost || route.request().method() !== 'POST') return await route.fallback();
      isLost = true;
      await route.fetch();
      const problem = { type: 'about:blank', title: 'Lost', status: 500, detail: 'The answer was lost.' };
      await route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    });
  }
  const dismiss = (page: Page): Promise<void> => button(page, 'Dismiss').click();

  it('[W3] whose answer was lost goes out again under its own id, and is there once', async () => {
    const { page } = visit;
    const { world, chat, path } = await opened.newChat();
    await page.goto(`${opened.serving.url}${path}`);
    await page.getByLabel('Message').fill('say once only');
    await loseTheAnswer(page);
    await page.keyboard.press('Enter');
    await page.getByText('The answer was lost.').waitFor();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('say once only');
    await dismiss(page);
    const taken = page.waitForResponse((response) => response.request().method() === 'POST' && response.ok());
    await sendByKey(page);
    await taken;
    await said(page, 'once only').waitFor();
    const { items } = await opened.api.messages(world, chat);
    expect(items.filter(({ content }) => content === 'say once only')).toHaveLength(1);
    // The same words again, later, are another message.
    await page.getByLabel('Message').fill('say once only');
    await sendByKey(page);
    await expect
      .poll(async () => {
        const sent = await opened.api.messages(world, chat);
        return sent.items.filter(({ content }) => content === 'say once only').length;
      })
      .toBe(2);
  });

  it('that can not be sent comes back before what was typed meanwhile, and takes no focus from a card', async () => {
    const { page } = visit;
    const { world, chat, path } = await opened.newChat();
    await page.goto(`${opened.serving.url}${path}`);
    await opened.api.send(world, chat, { content: press('meanwhile') });
    await button(page, 'Approve once').waitFor();
    await page.getByLabel('Message').fill('the first');
    await loseTheAnswer(page);
    const held = await holdUp(page, '**/messages');
    await page.getByLabel('Message').press('Enter');
    await held.asked;
    await page.keyboard.type('the second');
    await page.keyboard.press('Alt+n');
    const focus = (): Promise<string> => page.evaluate<string>('document.activeElement.tagName');
    await expect.poll(focus).toBe('SECTION');
    held.letGo();
    await page.getByText('The answer was lost.').waitFor();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('the first\nthe second');
    await expect.poll(() => button(page, 'Send').isEnabled()).toBe(true);
    expect(await focus()).toBe('SECTION');
    await dismiss(page);
  });

  it('[W3] that begins a chat makes one chat, however often it is tried; a suggestion leaves what is written alone', async () => {
    const { page } = visit;
    const { world } = await opened.newChat();
    const before = (await opened.api.chats(world)).items.length;
    await page.goto(`${opened.serving.url}/w/${world}`);
    await page.getByLabel('Message').fill('say a beginning');
    for (let tries = 0; tries < 2; tries += 1) {
      await loseTheAnswer(page);
      await sendByKey(page);
      await page.getByText('The answer was lost.').waitFor();
      await dismiss(page);
    }
    await sendByKey(page);
    await said(page, 'a beginning').waitFor();
    const chats = (await opened.api.chats(world)).items;
    expect(chats).toHaveLength(before + 1);
    const [, , , , chat = ''] = new URL(page.url()).pathname.split('/');
    const { items } = await opened.api.messages(world, chat);
    expect(items.filter(({ content }) => content === 'say a beginning')).toHaveLength(1);

    const empty = await opened.api.createChat(world);
    await page.goto(`${opened.serving.url}/w/${world}/c/${empty.id}`);
    await page.getByLabel('Message').fill('half a');
    await page.getByRole('group', { name: 'Suggestions' }).getByRole('button').first().click();
    await page.getByRole('article').first().waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('half a');
  });

  it('throws nothing', () => {
    expect(visit.complaints).toEqual([]);
  });
});
