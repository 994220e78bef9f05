import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import {
  answersFrom,
  asks,
  button,
  decided,
  drawn,
  enabled,
  goTo,
  press,
  said,
  toolCard,
  write,
  wrote,
} from './support/steps.js';

/** The name of the focused card. */
async function focusedRegion(page: Page): Promise<string> {
  return await page.evaluate<string>(
    `document.activeElement?.matches('section')
      ? document.getElementById(document.activeElement.getAttribute('aria-labelledby'))?.textContent ?? '' : ''`,
  );
}

/** Input meant for something else must not become a decision. */
describe.runIf(hasBrowser)('an approval that appears at a bad moment', () => {
  let opened: Opened;
  let visit: Visit;
  const enter = async (): Promise<{ page: Page; world: string; chat: string; path: string }> => {
    const chat = await opened.newChat();
    await goTo(visit.page, chat.path);
    await visit.page.getByLabel('Message').waitFor();
    return { page: visit.page, ...chat };
  };
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[A17] does not take the focus from someone who is typing, and their keys approve nothing', async () => {
    const { page, world, chat } = await enter();
    // The person just approved with the mouse and then types.
    await write(page, press('calm-a'));
    await button(page, 'Approve once').click();
    await said(page, 'Finished. done').waitFor();
    await page.getByLabel('Message').click();
    await page.keyboard.type('and then ');
    await opened.api.send(world, chat, { content: press('calm-b') });
    await asks(page, 'calm-b').waitFor();
    const sent = answersFrom(page);
    await enabled(button(page, 'Approve once'));
    await page.keyboard.type('add a');
    expect(await page.getByLabel('Message').inputValue()).toBe('and then add a');
    expect(opened.ran).not.toContain('calm-b');
    await page.keyboard.press('Enter');
    await wrote(page, 'and then add a').waitFor();
    expect(sent).toEqual([]);
    expect(opened.ran).not.toContain('calm-b');
    expect((await opened.api.approvals(world)).items).toHaveLength(1);
  });

  it('[A17] if nothing has the focus, no key approves a call that appears later', async () => {
    const { page, world, chat } = await enter();
    await page.getByText('Nothing in this chat is waiting for you.').click();
    await opened.api.send(world, chat, { content: press('calm-d') });
    await asks(page, 'calm-d').waitFor();
    const sent = answersFrom(page);
    await enabled(button(page, 'Approve once'));
    for (const key of ['o', 'a', 'c', 'Enter', ' ', 'd', 'y']) await page.keyboard.press(key);
    await drawn(page);
    expect(sent).toEqual([]);
    expect((await opened.api.approvals(world)).items).toHaveLength(1);
    expect(opened.ran).not.toContain('calm-d');
  });

  it('after a call was decided elsewhere, the next one appears below it and can be approved', async () => {
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
    await enabled(button(page, 'Approve once'));
    expect((await story.boundingBox())?.y).toBe(y);
    await button(page, 'Approve once').click();
    await toolCard(page, 'calm-f').getByText('approved once', { exact: true }).waitFor();
    await expect.poll(() => opened.ran).toContain('calm-f');
    expect(opened.ran).not.toContain('calm-e');
  });

  it('the visible call is not replaced when it is decided elsewhere while others wait', async () => {
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

  it('[A17] Review focuses the card once, and never a card that appears later while someone types', async () => {
    const { page, world, chat } = await enter();
    await opened.api.send(world, chat, { content: press('calm-j') });
    await button(page, 'Review').click();
    await expect.poll(() => focusedRegion(page)).toMatch(/wants to/);
    await enabled(button(page, 'Approve once'));
    await page.getByLabel('Message').click();
    await page.keyboard.type('first ');
    const [first] = (await opened.api.approvals(world)).items;
    if (first === undefined) throw new Error('nothing was asked');
    await opened.api.decide(world, first, { decision: 'deny', reason: 'from elsewhere' });
    await decided(page, 'calm-j').waitFor();
    await opened.api.send(world, chat, { content: press('calm-k') });
    await asks(page, 'calm-k').waitFor();
    const sent = answersFrom(page);
    await enabled(button(page, 'Approve once'));
    await page.keyboard.type('and a');
    expect(await page.getByLabel('Message').inputValue()).toBe('first and a');
    await drawn(page);
    expect(sent).toEqual([]);
    expect((await opened.api.approvals(world)).items).toHaveLength(1);
    expect(opened.ran).not.toContain('calm-k');
  });

  it('going back with a dialog open closes it and approves nothing', async () => {
    const { page, world, chat, path } = await enter();
    await page.getByRole('link', { name: 'Policy' }).click();
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

  it('causes no errors on the page', () => {
    expect(visit.complaints).toEqual([]);
  });
});
