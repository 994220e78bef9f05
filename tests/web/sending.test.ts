import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, goTo, holdUp, press, said, sendByKey, wrote } from './support/steps.js';

/** The states of a message while and after it is sent. */
describe.runIf(hasBrowser)('a message being sent', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** The next message arrives, but its response is lost. */
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

  it('[W3] whose response was lost is resent automatically under its own id, and appears once', async () => {
    const { page } = visit;
    const { world, chat, path } = await opened.newChat();
    await goTo(page, path);
    await page.getByLabel('Message').fill('say once only');
    await loseTheAnswer(page);
    await page.keyboard.press('Enter');
    await said(page, 'once only').waitFor();
    await expect.poll(() => page.getByText(/Not sent yet|Sending…/).count()).toBe(0);
    expect(await page.getByRole('article', { name: 'you', exact: true }).count()).toBe(1);
    const { items } = await opened.api.messages(world, chat);
    expect(items.filter(({ content }) => content === 'say once only')).toHaveLength(1);
    // The same text sent again later is another message.
    await page.getByLabel('Message').fill('say once only');
    await sendByKey(page);
    await expect
      .poll(async () => {
        const sent = await opened.api.messages(world, chat);
        return sent.items.filter(({ content }) => content === 'say once only').length;
      })
      .toBe(2);
  });

  it('[S8.1] appears in the transcript immediately, before the server has it, and survives a reload', async () => {
    const { page } = visit;
    const { world, chat, path } = await opened.newChat();
    await goTo(page, path);
    const held = await holdUp(page, '**/messages');
    await page.getByLabel('Message').fill('@nobody the first');
    await page.getByLabel('Message').press('Enter');
    await held.asked;
    await wrote(page, 'the first').getByText('Sending…').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('');
    await page.getByLabel('Message').fill('half of the second');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await wrote(page, 'the first').locator('header time').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('half of the second');
    await page.getByLabel('Message').fill('');
    const { items } = await opened.api.messages(world, chat);
    expect(items.filter(({ content }) => content === '@nobody the first')).toHaveLength(1);
  });

  it('[S8.1] that is refused says why, can be edited or sent again, and takes no focus from a card', async () => {
    const { page } = visit;
    const { world, chat, path } = await opened.newChat();
    await goTo(page, path);
    await opened.api.send(world, chat, { content: press('meanwhile') });
    await button(page, 'Approve once').waitFor();
    let refusals = 2;
    await page.route('**/messages', async (route) => {
      if (route.request().method() !== 'POST' || refusals === 0) return await route.fallback();
      refusals -= 1;
      const problem = { type: 'about:blank', title: 'No', status: 422, detail: 'Not like this.' };
      await route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    });
    await page.getByLabel('Message').fill('the first');
    await page.getByLabel('Message').press('Enter');
    await page.keyboard.type('the second');
    await page.keyboard.press('Alt+n');
    const focus = (): Promise<string> => page.evaluate<string>('document.activeElement.tagName');
    await expect.poll(focus).toBe('SECTION');
    const first = wrote(page, 'the first');
    await first.getByText('Not sent: Not like this.').waitFor();
    expect(await focus()).toBe('SECTION');
    await first.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => refusals).toBe(0);
    await first.getByText('Not sent: Not like this.').waitFor();
    await first.getByRole('button', { name: 'Edit' }).click();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('the first\nthe second');
    expect(await wrote(page, 'the first').count()).toBe(0);
    await sendByKey(page);
    await wrote(page, 'the second').locator('header time').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('[W3] that starts a chat creates one chat, however often it is retried; a suggestion does not change the draft', async () => {
    const { page } = visit;
    const { world } = await opened.newChat();
    const before = (await opened.api.chats(world)).items.length;
    await goTo(page, `/w/${world}`);
    await page.getByLabel('Message').fill('say a beginning');
    await loseTheAnswer(page);
    await loseTheAnswer(page);
    await sendByKey(page);
    await said(page, 'a beginning').waitFor();
    const chats = (await opened.api.chats(world)).items;
    expect(chats).toHaveLength(before + 1);
    const [, , , , chat = ''] = new URL(page.url()).pathname.split('/');
    const { items } = await opened.api.messages(world, chat);
    expect(items.filter(({ content }) => content === 'say a beginning')).toHaveLength(1);
    // A new chat can still be started afterwards.
    await goTo(page, `/w/${world}`);
    await page.getByRole('heading', { name: 'New chat' }).waitFor();

    const empty = await opened.api.createChat(world);
    await goTo(page, `/w/${world}/c/${empty.id}`);
    await page.getByLabel('Message').fill('half a');
    await page.getByRole('group', { name: 'Suggestions' }).getByRole('button').first().click();
    await page.getByRole('article').first().waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('half a');
  });

  it('causes no errors on the page', () => {
    expect(visit.complaints).toEqual([]);
  });
});
