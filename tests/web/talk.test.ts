import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import {
  addresses,
  button,
  call,
  decide,
  focused,
  goTo,
  holdUp,
  press,
  said,
  sendByKey,
  tabTo,
  toolCard,
  topBar,
  unfold,
  write,
  wrote,
} from './support/steps.js';

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

describe.runIf(hasBrowser)('talking', () => {
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
    visit = await opened.visit({ clock: true });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[WORLD3.6] shows who will answer before a message is sent, and fixes a mention with one click', async () => {
    const { page, world } = await enter();
    await opened.api.createAgent(world, { name: 'Bea Two', provider: 'obedient', model: 'test' });
    await page.getByRole('link', { name: 'Bea Two' }).waitFor();
    const box = page.getByLabel('Message');
    const to = page.locator(`[id="${await box.getAttribute('aria-describedby')}"]`);
    await expect.poll(() => to.innerText()).toBe('→ everyone: Ada, Bea Two');
    const before = await box.boundingBox();
    await box.fill('hey @bea two, say hello');
    await expect.poll(() => to.innerText()).toBe('→ nobody: start the line with @Bea Two');
    expect(await box.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: 'Fix mention' }).click();
    expect(await box.inputValue()).toBe('@Bea Two hey @bea two, say hello');
    await expect.poll(() => to.innerText()).toBe('→ Bea Two');
    expect(await page.getByRole('button', { name: 'Fix mention' }).count()).toBe(0);
    await box.fill('@human look');
    await expect.poll(() => to.innerText()).toBe('→ people only: no agent will answer');
    await box.fill('');
  });

  it('[TURN17.3] files are chosen, can be removed, and are shown with the message', async () => {
    const { page } = await enter();
    const files = page.getByRole('list', { name: 'Attached files' });
    const choose = (name: string, content: Buffer): Promise<void> =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'x/y', buffer: content });
    await choose('notes.md', Buffer.from('# Notes'));
    await files.getByText('notes.md').waitFor();
    await choose('gone.exe', Buffer.from('MZ\u0000'));
    await choose('dot.gif', GIF);
    await expect.poll(() => files.getByRole('listitem').count()).toBe(3);
    await page.getByLabel('Message').fill('say seen');
    await button(page, 'Send').click();
    // The program is no text, so nothing is sent.
    await page.getByText('must be a PNG, JPEG, GIF or WebP picture').waitFor();
    await files.getByRole('button', { name: 'Remove gone.exe' }).click();
    await expect.poll(() => files.getByRole('listitem').count()).toBe(2);
    await button(page, 'Send').click();
    const mine = page.getByRole('article').filter({ hasText: 'say seen' });
    await mine.getByText('notes.md, text/plain, 7 bytes').first().waitFor();
    await mine.getByRole('button', { name: 'dot.gif' }).locator('img').waitFor();
    expect(await files.count()).toBe(0);
  });

  it('[MODEL11] thinking is folded above the answer, as plain text', async () => {
    const { page } = await enter();
    await write(page, 'think **weigh** <b>this</b>\nsay The answer.');
    const answer = page.getByRole('article', { name: 'Ada' });
    const fold = answer.getByText('Thinking, 2 words');
    await fold.waitFor();
    await answer.getByText('The answer.').waitFor();
    expect(await answer.getByText('weigh').isVisible()).toBe(false);
    await fold.click();
    await answer.getByText('**weigh** <b>this</b>').waitFor();
  });

  it('[PAGE8] edits a message in a branch from its menu, and switches back to the chat that was left', async () => {
    const { page, path } = await enter();
    const answer = page.getByRole('article', { name: 'Ada' });
    await write(page, 'say One.');
    await answer.getByText('One.').waitFor();
    await page.getByRole('button', { name: 'More actions' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit and send again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('say Two.');
    await dialog.getByRole('button', { name: 'Send in a branch' }).click();
    await answer.getByText('Two.').waitFor();
    expect(await answer.count()).toBe(1);
    await page.getByRole('button', { name: 'Branch 2 of 2' }).click();
    await page.getByRole('menuitem', { name: /^1\./ }).click();
    await answer.getByText('One.').waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
  });

  it('[PAGE9] Ctrl+K goes to a page by its name, / searches and ? lists the keys, except where text is typed', async () => {
    const { page } = await enter();
    const box = page.getByLabel('Message');
    await box.press('/');
    await box.press('?');
    expect(await box.inputValue()).toBe('/?');
    await box.fill('');
    await page.keyboard.press('Control+k');
    const list = page.getByRole('dialog', { name: 'Go to' });
    await focused(list.getByRole('combobox'));
    await page.keyboard.type('statis');
    expect(await list.getByRole('option').first().innerText()).toContain('Statistics');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/stats');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Control+k');
    expect(await list.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.waitForURL('**/search');
  });

  it('[PAGE10] [PAGE10.1] [WORLD18] chats are pinned and archived in their menu, and settings are behind one entry', async () => {
    const { page, world, path } = await enter();
    await goTo(page, path);
    const chats = page.getByRole('navigation', { name: 'Chats' });
    const file = async (how: string): Promise<void> => {
      await button(page, 'Chat menu').click();
      await page.getByRole('menuitem', { name: how, exact: true }).click();
    };
    await chats.getByRole('region', { name: 'Today' }).getByRole('link').waitFor();
    await file('Pin');
    await chats.getByRole('region', { name: 'Pinned' }).getByRole('link').waitFor();
    await file('Archive');
    // The open chat stays in the list.
    await chats.getByRole('region', { name: 'Archived' }).getByRole('link').waitFor();
    await page.getByRole('link', { name: 'World settings' }).click();
    await page.waitForURL(`**/w/${world}/policy`);
    await chats.getByRole('button', { name: 'Show archived (1)' }).click();
    await chats.getByRole('region', { name: 'Archived' }).getByRole('link').waitFor();
    const tabs = page.getByRole('navigation', { name: 'World settings' });
    await tabs.getByRole('link', { name: 'Grants' }).click();
    await page.getByRole('heading', { level: 1, name: 'Grants' }).waitFor();
    expect(await tabs.getByRole('link', { name: 'Grants' }).getAttribute('aria-current')).toBe('page');
  });

  itAtFullSize('[WORLD3] an @ at the start of a line offers the agents, and the keyboard completes them', async () => {
    const { page, world, chat } = await enter();
    await opened.api.createAgent(world, { name: 'Bea Two', provider: 'obedient', model: 'test' });
    await page.getByRole('link', { name: 'Bea Two' }).waitFor();
    const box = page.getByLabel('Message');
    await box.focus();
    await page.keyboard.type('mail me at a@b');
    expect(await page.getByRole('listbox').count()).toBe(0);
    await box.fill('');
    await page.keyboard.type('@');
    const offers = page.getByRole('listbox', { name: 'Agents' }).getByRole('option');
    await expect.poll(() => offers.count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('b');
    await expect.poll(() => offers.allInnerTexts()).toEqual([expect.stringContaining('Bea Two')]);
    // Enter accepts the suggestion and sends nothing yet.
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe('@Bea Two ');
    expect(await page.getByRole('article').count()).toBe(0);
    await page.keyboard.type('say only me');
    await page.keyboard.press('Enter');
    await said(page, 'Bea Two').waitFor();
    await expect.poll(async () => (await opened.api.chat(world, chat)).status).toBe('idle');
    await expect.poll(() => topBar(page).getByText('working').count()).toBe(0);
    expect(await page.getByRole('article', { name: 'Ada' }).count()).toBe(0);
    await box.focus();
    await page.keyboard.type('@a');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox').count()).toBe(0);
    expect(await box.inputValue()).toBe('@a');
    await box.fill('');
  });

  it('[TURN4] [CHANGE2.3] a question from an agent is answered with text; a choice only fills the field; after a conflict, one click asks for a new call', async () => {
    const { page, world } = await enter();
    await write(page, call('ask_human', { question: 'Which <b>berth</b>?', choices: ['the first', 'the last'] }));
    const card = page.getByRole('region', { name: 'Ada asks' });
    await card.getByText('Which <b>berth</b>?').waitFor();
    expect(await card.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    await card.getByRole('button', { name: 'the last' }).click();
    expect(await card.getByLabel('Your answer').inputValue()).toBe('the last');
    expect((await opened.api.approvals(world)).items).toHaveLength(1);
    await card.getByLabel('Your answer').fill('the last but one');
    await decide(page, 'Answer');
    await said(page, 'Finished.').waitFor();
    const asked = toolCard(page, 'ask_human');
    await unfold(asked);
    await asked.getByText('the last but one').first().waitFor();
    await asked.getByText(/Answered by/).waitFor();

    await write(page, call('ask_human', { question: 'And who pays?' }));
    await page.getByRole('region', { name: 'Ada asks' }).waitFor();
    await decide(page, 'Deny');
    await said(page, 'Finished. denied').waitFor();

    // [CHANGE2] After a conflict, one click asks the agent for a new call.
    await write(page, press('taken'));
    await button(page, 'Approve once').waitFor();
    const [taken] = (await opened.api.approvals(world)).items;
    if (taken === undefined) throw new Error('nothing is pending');
    await opened.api.decide(world, taken, { decision: 'approve' });
    await said(page, 'Finished. failed: somebody else pressed it').waitFor();
    await unfold(toolCard(page, 'taken'));
    await toolCard(page, 'taken').getByRole('button', { name: 'Propose again' }).click();
    await wrote(page, 'Your call to press changed nothing, because others changed the same files').waitFor();
  });

  itAtFullSize(
    '[WORLD11] a message on hold says so, even after others have spoken, and denies only the calls that block it',
    async () => {
      const { page, world, chat } = await enter();
      await opened.api.createAgent(world, { name: 'Bob', provider: 'obedient', model: 'test', tools: ['*'] });
      await opened.api.send(world, chat, { content: `@Ada\n${press('in the way')}` });
      await button(page, 'Approve once').waitFor();
      expect(await page.getByText('Your message is queued.').count()).toBe(0);
      await write(page, '@Ada\nsay I am behind');
      await page.getByText("Your message is queued. Ada can't answer until you decide on the waiting calls.").waitFor();
      await opened.api.send(world, chat, { content: `@Bob\n${press('not in the way')}` });
      await toolCard(page, 'not in the way').waitFor();
      await page.getByText('Your message is queued.').waitFor();
      await button(page, 'Deny all and continue').click();
      await said(page, 'I am behind').waitFor();
      await expect.poll(() => page.getByText('Your message is queued.').count()).toBe(0);
      await toolCard(page, 'in the way').first().getByText('denied').waitFor();
      await toolCard(page, 'not in the way').getByText('waiting for you').waitFor();
      expect((await opened.api.approvals(world)).items.map(({ agentId }) => agentId)).toEqual(['bob']);
      expect(opened.ran).not.toContain('in the way');
      // An answer that is not directly below its message shows which one it answers, and links to it.
      const answer = said(page, 'Finished. denied');
      await answer.getByRole('button', { name: /in reply to you: @Ada/ }).click();
      const marked = page.locator('article[aria-current]');
      await marked.filter({ hasText: 'call press' }).waitFor();
      expect(await marked.count()).toBe(1);
    },
  );

  itAtFullSize('[WORLD9.3] shows who is working, who stopped an answer, and what a turn cost', async () => {
    const { page } = await enter();
    await write(page, call('watch', {}));
    await topBar(page).getByText('Ada').waitFor();
    await topBar(page).getByText('working').waitFor();
    await toolCard(page, 'watch').getByText('the first line').waitFor();
    await button(page, 'Stop').click();
    await expect.poll(() => topBar(page).getByText('working').count()).toBe(0);
    await write(page, 'start counting ships');
    await page.getByRole('article', { name: 'Ada' }).filter({ hasText: 'counting ships' }).waitFor();
    await button(page, 'Stop').click();
    await said(page, 'counting ships').getByText('Stopped by you').waitFor();
    await write(page, 'say counted');
    await said(page, 'counted').getByText('1.2k in · 34 out').waitFor();
  });

  it('a search result leads to the message in its chat, and highlights it', async () => {
    const { page, world, chat } = await enter();
    await opened.api.send(world, chat, { content: 'say the needle is rusty' });
    await said(page, 'the needle is rusty').waitFor();
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByLabel('Words in this world').fill('needle');
    const hit = page.getByRole('main').getByRole('link').filter({ hasText: 'needle is rusty' });
    await expect.poll(() => hit.count()).toBe(2);
    await hit.filter({ hasText: 'Ada' }).click();
    const found = page.locator('article[aria-current]').filter({ hasText: 'the needle is rusty' });
    await expect.poll(async () => (await found.boundingBox())?.y).toSatisfy((y: number) => y > 0 && y < 800);
    // Going back shows the query and the other results.
    await page.goBack();
    await expect.poll(() => page.getByLabel('Words in this world').inputValue()).toBe('needle');
    await expect.poll(() => hit.count()).toBe(2);
  });

  it('[WORLD9] [PAGE1.4] by keyboard alone: a new chat, a message, stop, rename and delete', async () => {
    const { page, world } = await enter();
    await tabTo(page, 'New chat');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
    // [PAGE1.4] The message can be typed without looking for its field, here and in the chat that it starts.
    await focused(page.getByLabel('Message'));
    await page.keyboard.type(call('watch', {}));
    await page.keyboard.press('Enter');
    await toolCard(page, 'watch').getByText('running').waitFor();
    await focused(page.getByLabel('Message'));
    await tabTo(page, 'Stop');
    await page.keyboard.press('Enter');
    await toolCard(page, 'watch').getByText('stopped', { exact: true }).waitFor();
    await focused(page.getByLabel('Message'));
    await tabTo(page, 'Chat menu');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('menuitem').first().evaluate(isFocused)).toBe(true);
    await page.keyboard.type('r');
    await expect.poll(() => page.getByRole('menuitem', { name: 'Rename' }).evaluate(isFocused)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Title').waitFor();
    await tabTo(page, 'Title');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('By hand');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'By hand' }).waitFor();
    // The focus is where it was before the dialog.
    await expect.poll(() => page.getByRole('button', { name: 'Chat menu' }).evaluate(isFocused)).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('menuitem').first().evaluate(isFocused)).toBe(true);
    await page.keyboard.type('d');
    await expect.poll(() => page.getByRole('menuitem', { name: 'Delete' }).evaluate(isFocused)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete chat' }).waitFor();
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('link', { name: 'By hand' }).count()).toBe(0);
    await expect.poll(async () => (await opened.api.chats(world)).items.length).toBe(1);
  });

  it('[WORLD9] [CALL18.1] a toast doesn’t cover the message field on a phone, and disappears when its action succeeds', async () => {
    const { path } = await opened.newChat();
    const { page } = visit;
    onTestFinished(() => page.setViewportSize({ width: 1440, height: 900 }));
    await page.setViewportSize({ width: 390, height: 844 });
    await goTo(page, path);
    await write(page, call('watch', {}));
    await button(page, 'Stop').waitFor();
    const problem = { type: 'about:blank', title: 'No', status: 403, detail: `Not now. ${'And why not. '.repeat(12)}` };
    await page.route('**/stop', (route) =>
      route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await button(page, 'Stop').click();
    const toast = page.getByText('Not now.');
    await toast.waitFor();
    const bottom = async (): Promise<number> => {
      const box = await toast.locator('xpath=ancestor::*[@role="status"]/..').boundingBox();
      return (box?.y ?? Infinity) + (box?.height ?? 0);
    };
    expect(await bottom()).toBeLessThan((await page.getByLabel('Message').boundingBox())?.y ?? 0);
    await page.unrouteAll();
    await button(page, 'Stop').click();
    await expect.poll(() => button(page, 'Stop').isVisible()).toBe(false);
    // The error is about an action that succeeded later.
    await toast.waitFor({ state: 'detached' });
  });

  it('text that a person pasted keeps its line breaks; an agent’s Markdown gets no additional ones', async () => {
    const { page } = visit;
    const { path } = await opened.newChat();
    await goTo(page, path);
    await write(page, 'say a line\nand the next\n\n- an item\n  of two lines');
    const mine = await wrote(page, 'an item').locator('.prose').innerText();
    expect(mine.split(/\n+/)).toEqual(['say a line', 'and the next', 'an item', 'of two lines']);
    const theirs = await said(page, 'an item').locator('.prose').innerText();
    expect(theirs.split(/\n+/)).toEqual(['a line and the next', 'an item of two lines']);
  });

  itAtFullSize('links, footnotes and tables with later definitions are rendered correctly', async () => {
    const { page, context } = visit;
    const { path } = await opened.newChat();
    await goTo(page, path);
    const table =
      '| Name | Where it can be found |\n|---|---|\n| alphabet | https://example.com/a/very/long/path/to/it |';
    const filler = Array.from({ length: 40 }, (_, line) => `Paragraph ${line}.`).join('\n\n');
    await write(
      page,
      `say See [the docs][d] first.[^1]\n\n${table}\n\n${filler}\n\n[d]: https://example.com/x\n\n[^1]: Its source.`,
    );
    const answer = said(page, 'Its source.');
    await answer.waitFor();
    expect(await addresses(answer.getByRole('link', { name: 'the docs' }))).toEqual(['https://example.com/x']);
    expect(await answer.getByText('[d]').count()).toBe(0);
    // A footnote leads to the end of its own message, not to another tab or message.
    const before = page.url();
    await answer.getByRole('link', { name: '1', exact: true }).click();
    await answer.getByText('Its source.').waitFor();
    expect(await page.evaluate<string>('document.activeElement.closest("li").textContent')).toContain('Its source.');
    expect([page.url(), context.pages().length]).toEqual([before, 1]);
    const ids = await page.evaluate<string[]>('[...document.querySelectorAll(".prose li[id]")].map(({ id }) => id)');
    expect(new Set(ids).size).toBe(ids.length);
    // Words are never broken to fit: a table scrolls.
    await page.setViewportSize({ width: 390, height: 844 });
    const cell = answer.getByRole('cell', { name: 'alphabet' });
    await cell.scrollIntoViewIfNeeded();
    const lines = `(() => {
      const range = document.createRange();
      range.selectNodeContents([...document.querySelectorAll('td')].find((each) => each.textContent === 'alphabet'));
      return range.getClientRects().length;
    })()`;
    expect(await page.evaluate<number>(lines)).toBe(1);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  /** The states of a message while and after it is sent. */
  describe('a message being sent', () => {
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

    it('[HTTP2] whose response was lost is resent automatically under its own id, and appears once', async () => {
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

    itAtFullSize(
      '[PAGE1.1] appears in the transcript immediately, before the server has it, and survives a reload',
      async () => {
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
      },
    );

    it('[PAGE1.1] that is refused says why, can be edited or sent again, and takes no focus from a card', async () => {
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

    itAtFullSize(
      '[HTTP2] that starts a chat creates one chat, however often it is retried; a suggestion does not change the draft',
      async () => {
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
        // A new chat can still be started afterwards. A long message that is refused leaves the page usable, and no chat.
        await goTo(page, `/w/${world}`);
        await page.getByRole('heading', { name: 'New chat' }).waitFor();
        await page.getByLabel('Message').fill('a long line\n'.repeat(200));
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.route('**/messages', async (route) => {
          if (route.request().method() !== 'POST') return await route.fallback();
          const problem = { type: 'about:blank', title: 'No', status: 422, detail: 'Not like this.' };
          await route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify(problem) });
        });
        await sendByKey(page);
        await page.getByText('Not sent: Not like this.').waitFor();
        const height = page.viewportSize()?.height ?? 0;
        for (const shown of [page.getByText('Not sent: Not like this.'), page.getByLabel('Message')]) {
          const box = await shown.boundingBox();
          expect(box?.y).toBeGreaterThan(0);
          expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
        }
        expect((await opened.api.chats(world)).items).toHaveLength(before + 1);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await wrote(page, 'a long line').getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('Message').fill('');

        const empty = await opened.api.createChat(world);
        await goTo(page, `/w/${world}/c/${empty.id}`);
        await page.getByLabel('Message').fill('half a');
        await page.getByRole('group', { name: 'Suggestions' }).getByRole('button').first().click();
        await page.getByRole('article').first().waitFor();
        expect(await page.getByLabel('Message').inputValue()).toBe('half a');
      },
    );
  });

  // The last one, because its page stays hidden.
  it('[CALL13] a desktop notification shows waiting calls while no tab is visible, and a click opens them', async () => {
    // The full browser takes seconds of CPU to start, so in `npm test` the page of this file gets a desktop that shows nothing.
    const { world, chat, path } = await opened.newChat();
    const { context, page } = isFullSize ? await opened.visit({ program: 'chromium' }) : visit;
    await goTo(page, `/w/${world}`);
    await page.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
    await context.grantPermissions(['notifications'], { origin: opened.serving.url });
    // Keeps real notifications so that the test can click them, and hides the page.
    await page.evaluate(`
      globalThis.notes = [];
      class Unseen extends EventTarget {
        static permission = 'granted';
        constructor(title, { tag }) { super(); this.tag = tag; }
        close() {}
      }
      const Shown = ${isFullSize} ? globalThis.Notification : Unseen;
      globalThis.Notification = class extends Shown {
        constructor(title, options) { super(title, options); globalThis.notes.push({ note: this, title, body: options.body }); }
      };
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
      // Time stands still, so everything happens at once even on a slow machine.
      const startedAt = Date.now();
      Date.now = () => startedAt;
    `);
    expect(await page.evaluate('Notification.permission')).toBe('granted');
    await opened.api.send(world, chat, { content: press('notify\u202Ex') });
    // Calls in other worlds trigger notifications too.
    const ours = "notes.find(({ body }) => body?.includes('notify'))";
    await expect.poll(() => page.evaluate(`${ours}?.title`)).toBe('Ada is waiting for you');
    expect(await page.evaluate(`${ours}.body`)).toBe('button: notify‹U+202E›x');
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Countersign$/);
    await page.evaluate(`${ours}.note.dispatchEvent(new Event('click'))`);
    await page.waitForURL(`**${path}`);
    await button(page, 'Approve once').waitFor();
    const [notified] = (await opened.api.approvals(world)).items;
    if (notified === undefined) throw new Error('nothing is pending');
    await opened.api.decide(world, notified, { decision: 'deny' });
    await said(page, 'Finished. denied').waitFor();
    if (!isFullSize) return;
    // A dozen calls at once cause one notification, and none if another tab is visible.
    const many = await opened.newChat();
    await goTo(page, `/w/${many.world}`);
    await page.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
    const asks = Array.from({ length: 12 }, (_, index) => press(`many-${index}`)).join('\n');
    await opened.api.send(many.world, many.chat, { content: asks });
    await expect.poll(() => waiting(many.world)).toBe(12);
    const { items: worlds } = await opened.api.worlds({ limit: 200 });
    const counts = await Promise.all(worlds.map(({ id }) => waiting(id)));
    const all = counts.reduce((sum, count) => sum + count, 0);
    // Notifications may arrive one by one; this is the last one.
    await expect.poll(() => page.evaluate('notes.at(-1)?.title')).toBe(`${all} calls are waiting for you`);
    const names = await page.evaluate<string[]>('notes.map(({ note }) => note.tag)');
    expect(new Set(names).size).toBeLessThanOrEqual(4);
    const title = await page.title();
    const other = await context.newPage();
    await other.goto(`${opened.serving.url}${path}`);
    await other.getByLabel('Message').waitFor();
    const isAnyTabVisible = `navigator.locks.query().then(({ held }) => held.some(({ name }) => name === 'countersign.visible-tabs'))`;
    await expect.poll(() => other.evaluate(isAnyTabVisible)).toBe(true);
    await opened.api.send(many.world, (await opened.api.createChat(many.world)).id, { content: press('seen') });
    await expect.poll(() => page.title()).not.toBe(title);
    // Runs after the same query by the page, so the result is already known.
    expect(await page.evaluate(isAnyTabVisible)).toBe(true);
    expect(await page.evaluate('notes.length')).toBe(names.length);
    await context.close();
  });

  async function waiting(id: string): Promise<number> {
    return (await opened.api.approvals(id, { limit: 200 })).items.length;
  }

  it('no page throws or violates the content security policy', () => {
    expect(visit.complaints).toEqual([]);
  });
});

function isFocused(element: { ownerDocument: { activeElement: unknown } }): boolean {
  return element.ownerDocument.activeElement === element;
}
