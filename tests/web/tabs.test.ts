import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, press, said, toolCard, write } from './support/steps.js';

const TABS = 8;

describe.runIf(hasBrowser)('many tabs of one browser', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  let path = '';
  let streams = 0;
  const tabs: Page[] = [];
  beforeAll(async () => {
    opened = await openBrowser();
    ({ world, path } = await opened.newChat());
    visit = await opened.visit({ path });
    const { context, page } = visit;
    tabs.push(page);
    // Its own is there; from here on only others are counted.
    await vi.waitUntil(async () => (await openStreams()) === 1, { timeout: 30_000 });
    context.on('request', (request) => {
      if (request.url().endsWith('/events')) streams += 1;
    });
    while (tabs.length < TABS) {
      const tab = await context.newPage();
      await tab.goto(`${opened.serving.url}${path}`);
      await tab.getByLabel('Message').waitFor();
      tabs.push(tab);
    }
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** As the server counts them. */
  async function openStreams(): Promise<number> {
    const { url, home } = opened.serving;
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${home.token.value}` } });
    return Number(/^countersign_sse_clients (\d+)$/m.exec(await response.text())?.[1]);
  }
  const at = (index: number): Page => tabs[index] ?? visit.page;

  it('[S6] eight of them follow an approval from its question to its end, over one stream', async () => {
    await write(at(7), press('tabs-a'));
    for (const tab of tabs) await button(tab, 'Approve once').waitFor();
    await button(at(3), 'Approve once').click();
    for (const tab of tabs) {
      await said(tab, 'Finished. done').waitFor();
      await toolCard(tab, 'tabs-a').getByText('signed once').waitFor();
      expect(await tab.getByRole('article').filter({ hasText: 'Finished.' }).count()).toBe(1);
    }
    expect(opened.ran.filter((deed) => deed === 'tabs-a')).toHaveLength(1);
    // The first tab has it; the others asked for none.
    expect(streams).toBe(0);
    expect(await openStreams()).toBe(1);
  });

  it('[S6] when the tab that reads is closed, another goes on, and nothing is lost or doubled', async () => {
    await write(at(1), press('tabs-b'));
    await button(at(7), 'Approve once').waitFor();
    await at(0).close();
    tabs.shift();
    await button(at(4), 'Approve once').click();
    for (const tab of tabs) {
      await toolCard(tab, 'tabs-b').getByText('signed once').waitFor();
      await expect.poll(() => tab.getByRole('article').filter({ hasText: 'Finished.' }).count()).toBe(2);
    }
    expect(streams).toBe(1);
  });

  it('[A8] of two tabs that look at one question the slower is told who decided', async () => {
    await write(at(2), press('tabs-c'));
    for (const tab of [at(2), at(5)]) await expect.poll(() => button(tab, 'Approve once').isEnabled()).toBe(true);
    await button(at(2), 'Approve once').click();
    await at(5)
      .getByText(/Approved once by .*(?:ago|just now)/)
      .first()
      .waitFor();
    expect(await button(at(5), 'Approve once').count()).toBe(0);
    expect(opened.ran.filter((deed) => deed === 'tabs-c')).toHaveLength(1);
  });

  it('[A13] where nobody else can be asked, the tabs count as somebody, also when the one that reads is closed', async () => {
    await opened.api.updateWorld(world, { unattended: 'deny' });
    for (const tab of tabs) {
      await tab.goto(`${opened.serving.url}${path}`);
      await tab.getByLabel('Message').waitFor();
    }
    await write(at(1), press('tabs-d'));
    await button(at(6), 'Approve once').click();
    await said(at(1), 'Finished. done').waitFor();
    await at(0).close();
    tabs.shift();
    await write(at(1), press('tabs-e'));
    await button(at(5), 'Approve once').click();
    await toolCard(at(2), 'tabs-e').getByText('signed once').waitFor();
    expect(opened.ran).toEqual(expect.arrayContaining(['tabs-d', 'tabs-e']));
  });

  it('more worlds than a browser has connections are looked at by turns, and the one that is looked at works', async () => {
    const { context, page: first } = await opened.visit();
    // Whether a tab is looked at, as the test says.
    await context.addInitScript(`
      let seen = true;
      Object.defineProperty(document, 'visibilityState', { get: () => (seen ? 'visible' : 'hidden') });
      globalThis.look = (now) => { seen = now; document.dispatchEvent(new Event('visibilitychange')); };
    `);
    const worlds: { tab: Page; world: string; chat: string }[] = [];
    for (let count = 0; count < TABS - 1; count += 1) {
      const { world: id, chat, path: where } = await opened.newChat();
      const tab = count === 0 ? first : await context.newPage();
      for (const other of worlds) await other.tab.evaluate('look(false)');
      await tab.goto(`${opened.serving.url}${where}`);
      await tab.getByLabel('Message').waitFor();
      worlds.push({ tab, world: id, chat });
    }
    const [oldest] = worlds;
    const newest = worlds.at(-1);
    if (oldest === undefined || newest === undefined) throw new Error('no tabs');
    await write(newest.tab, press('tabs-f'));
    await button(newest.tab, 'Approve once').click();
    await said(newest.tab, 'Finished. done').waitFor();
    // What happened meanwhile in one that had to wait is there when it is looked at.
    await opened.api.send(oldest.world, oldest.chat, { content: press('tabs-g') });
    await newest.tab.evaluate('look(false)');
    await oldest.tab.evaluate('look(true)');
    await button(oldest.tab, 'Approve once').click();
    await said(oldest.tab, 'Finished. done').waitFor();
    expect(opened.ran).toEqual(expect.arrayContaining(['tabs-f', 'tabs-g']));
    await context.close();
  });

  it('throws nothing', () => {
    expect(visit.complaints).toEqual([]);
  });
});
