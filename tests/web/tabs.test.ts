import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { isFullSize } from '../support/scaled.js';
import { asks, button, decided, enabled, press, said, toolCard, write } from './support/steps.js';

/** One more than a browser's connection limit per server. */
const TABS = 7;
/** Loading a page takes a second of CPU. */
const FOLLOWING = isFullSize ? TABS : 4;

/**
 * A tab that doesn't answer for seconds counts as gone, and its stream is taken over. Longer timeouts make sure that only closed
 * tabs count as gone on a slow machine.
 */
const PATIENT = `
  const soon = globalThis.setTimeout;
  globalThis.setTimeout = (act, ms = 0, ...rest) => soon(act, ms < 3000 ? ms : ms * 40, ...rest);
`;

describe.runIf(hasBrowser)('many tabs of one browser', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  let path = '';
  /** Tabs that requested a stream of this world, in order: the last one reads it. */
  const readers: Page[] = [];
  const tabs: Page[] = [];
  /** Tabs that are open, but not in the app. */
  const idle: Page[] = [];
  beforeAll(async () => {
    opened = await openBrowser();
    ({ world, path } = await opened.newChat());
    visit = await opened.visit({ script: PATIENT });
    const { context, page } = visit;
    context.on('request', (request) => {
      if (request.url().endsWith(`/${world}/events`)) readers.push(request.frame().page());
    });
    tabs.push(page);
    await page.goto(`${opened.serving.url}${path}`);
    await page.getByLabel('Message').waitFor();
    await vi.waitUntil(() => readers.length === 1, { timeout: 30_000 });
    while (tabs.length < FOLLOWING) {
      const tab = await context.newPage();
      await tab.goto(`${opened.serving.url}${path}`);
      await tab.getByLabel('Message').waitFor();
      tabs.push(tab);
    }
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** The number of open streams that the server counts. */
  async function openStreams(): Promise<number> {
    const { url, home } = opened.serving;
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${home.token.value}` } });
    return Number(/^countersign_sse_clients (\d+)$/m.exec(await response.text())?.[1]);
  }
  /** Connected clients of this world that can ask a person. */
  async function askers(): Promise<string[]> {
    const { store } = opened.serving.home.engine.runtime;
    const clients = await store.read((reader) => reader.clients(world));
    return clients.filter(({ leftAt }) => leftAt === null).map(({ id }) => id);
  }
  const at = (index: number): Page => tabs[index] ?? visit.page;

  it(`[S6] ${FOLLOWING} of them follow an approval from request to end, over one stream`, async () => {
    await write(at(FOLLOWING - 1), press('tabs-a'));
    for (const tab of tabs) await button(tab, 'Approve once').waitFor();
    await button(at(2), 'Approve once').click();
    for (const tab of tabs) {
      await said(tab, 'Finished. done').waitFor();
      await toolCard(tab, 'tabs-a').getByText('approved once', { exact: true }).waitFor();
      expect(await tab.getByRole('article').filter({ hasText: 'Finished.' }).count()).toBe(1);
    }
    expect(opened.ran.filter((run) => run === 'tabs-a')).toHaveLength(1);
    // The first tab has the stream; the others did not request one.
    expect(readers.map((tab) => tabs.indexOf(tab))).toEqual([0]);
    await expect.poll(openStreams).toBe(1);
  });

  it('[S6] if the reading tab is closed, another continues, and nothing is lost or duplicated', async () => {
    await write(at(1), press('tabs-b'));
    await button(at(FOLLOWING - 1), 'Approve once').waitFor();
    await at(0).close();
    tabs.shift();
    await expect.poll(() => readers).toHaveLength(2);
    await button(at(2), 'Approve once').click();
    for (const tab of tabs) {
      await toolCard(tab, 'tabs-b').getByText('approved once', { exact: true }).waitFor();
      await expect.poll(() => tab.getByRole('article').filter({ hasText: 'Finished.' }).count()).toBe(2);
    }
    expect(readers).toHaveLength(2);
    await expect.poll(openStreams).toBe(1);
  });

  it('[A8] if two tabs show the same card, the slower one says who decided', async () => {
    await write(at(1), press('tabs-c'));
    for (const tab of [at(1), at(2)]) {
      await asks(tab, 'tabs-c').waitFor();
      await enabled(button(tab, 'Approve once'));
    }
    await button(at(1), 'Approve once').click();
    await decided(at(2), 'tabs-c')
      .getByText(/Approved once by .*(?:ago|just now)/)
      .waitFor();
    expect(await button(at(2), 'Approve once').count()).toBe(0);
    await expect.poll(() => at(2).getByRole('article').filter({ hasText: 'Finished. done' }).count()).toBe(3);
    expect(opened.ran.filter((run) => run === 'tabs-c')).toHaveLength(1);
  });

  it('[A13] if nobody else is connected, the tabs count as a client, even after the reading tab is closed', async () => {
    await opened.api.updateWorld(world, { unattended: 'deny' });
    // As many tabs as this test needs.
    for (const tab of tabs.splice(3)) {
      await tab.goto(`${opened.serving.url}/mark.svg`);
      idle.push(tab);
    }
    for (const tab of tabs) {
      await tab.goto(`${opened.serving.url}${path}`);
      await tab.getByLabel('Message').waitFor();
    }
    await expect.poll(() => askers()).toHaveLength(1);
    const [first, last] = [at(1), at(2)];
    await write(first, press('tabs-d'));
    await asks(last, 'tabs-d').waitFor();
    await button(last, 'Approve once').click();
    await expect.poll(() => opened.ran).toContain('tabs-d');
    const reader = readers.at(-1);
    const before = readers.length;
    const known = await askers();
    await reader?.close();
    tabs.splice(tabs.indexOf(reader ?? first), 1);
    // Another tab reads now and is registered as a client: neither depends on the grace period of the first.
    await expect.poll(() => readers.length).toBe(before + 1);
    await expect.poll(async () => (await askers()).filter((id) => !known.includes(id))).toHaveLength(1);
    await write(at(0), press('tabs-e'));
    await asks(at(1), 'tabs-e').waitFor();
    await button(at(1), 'Approve once').click();
    await toolCard(at(0), 'tabs-e').getByText('approved once', { exact: true }).waitFor();
    await expect.poll(() => opened.ran).toContain('tabs-e');
  });

  it('if more worlds are open than a browser has connections, they take turns, and the visible one works', async () => {
    const { context } = visit;
    // The test controls whether a tab is visible.
    await context.addInitScript(`
      let seen = true;
      Object.defineProperty(document, 'visibilityState', { get: () => (seen ? 'visible' : 'hidden') });
      globalThis.look = (now) => { seen = now; document.dispatchEvent(new Event('visibilitychange')); };
    `);
    const worlds: { tab: Page; world: string; chat: string }[] = [];
    for (let count = 0; count < TABS; count += 1) {
      const { world: id, chat, path: where } = await opened.newChat();
      const tab = [...tabs, ...idle][count] ?? (await context.newPage());
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
    // A world that had to wait catches up once it is visible.
    await opened.api.send(oldest.world, oldest.chat, { content: press('tabs-g') });
    await newest.tab.evaluate('look(false)');
    await oldest.tab.evaluate('look(true)');
    await button(oldest.tab, 'Approve once').click();
    await said(oldest.tab, 'Finished. done').waitFor();
    expect(opened.ran).toEqual(expect.arrayContaining(['tabs-f', 'tabs-g']));
  });

  it('causes no errors on the page', () => {
    expect(visit.complaints).toEqual([]);
  });
});
