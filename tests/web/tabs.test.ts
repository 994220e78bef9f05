import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { asks, button, goTo, press, said, toolCard, write } from './support/steps.js';

/** One more than a browser's connection limit per server. */
const TABS = 7;
/** Loading a page takes a second of CPU. */
const FOLLOWING = isFullSize ? TABS : 2;

/**
 * A tab that doesn't answer for seconds counts as gone, and its stream is taken over. Longer timeouts make sure that only closed
 * tabs count as gone on a slow machine.
 */
const PATIENT = `
  const soon = globalThis.setTimeout;
  globalThis.setTimeout = (act, ms = 0, ...rest) => soon(act, ms < 3000 ? ms : ms * 40, ...rest);
`;

/** The test controls whether a tab is visible. */
const LOOK = `
  let seen = true;
  Object.defineProperty(document, 'visibilityState', { get: () => (seen ? 'visible' : 'hidden') });
  globalThis.look = (now) => { seen = now; document.dispatchEvent(new Event('visibilitychange')); };
`;

describe.runIf(hasBrowser)('many tabs of one browser', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  let path = '';
  /** Tabs that requested a stream of this world, in order: the last one reads it. */
  const readers: Page[] = [];
  const tabs: Page[] = [];
  beforeAll(async () => {
    opened = await openBrowser();
    ({ world, path } = await opened.newChat());
    await opened.api.updateWorld(world, { unattended: 'deny' });
    visit = await opened.visit({ script: PATIENT + LOOK });
    const { context, page } = visit;
    context.on('request', (request) => {
      if (request.url().endsWith(`/${world}/events`)) readers.push(request.frame().page());
    });
    tabs.push(page);
    await goTo(page, path);
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
  const at = (index: number): Page => tabs[Math.min(index, tabs.length - 1)] ?? visit.page;

  it(`[STORE6] [CALL13] ${FOLLOWING} of them follow an approval from request to end, over one stream and as one client`, async () => {
    await expect.poll(() => askers()).toHaveLength(1);
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
    // The one of the world, and the one of what waits in all worlds.
    await expect.poll(openStreams).toBe(2);
  });

  it('[STORE6] [CALL13] if the reading tab is closed, another continues as the client, and nothing is lost or duplicated', async () => {
    const known = await askers();
    await opened.api.send(world, path.replace(/.*\//, ''), { content: press('tabs-b') });
    await button(at(FOLLOWING - 1), 'Approve once').waitFor();
    await at(0).close();
    tabs.shift();
    await expect.poll(() => readers).toHaveLength(2);
    await button(at(1), 'Approve once').click();
    for (const tab of tabs) {
      await toolCard(tab, 'tabs-b').getByText('approved once', { exact: true }).waitFor();
      await expect.poll(() => tab.getByRole('article').filter({ hasText: 'Finished.' }).count()).toBe(2);
    }
    // Another tab is registered as a client: this doesn't depend on the grace period of the first.
    await expect.poll(async () => (await askers()).filter((id) => !known.includes(id))).toHaveLength(1);
    await write(at(0), press('tabs-c'));
    await asks(at(1), 'tabs-c').waitFor();
    await button(at(1), 'Approve once').click();
    await toolCard(at(0), 'tabs-c').getByText('approved once', { exact: true }).waitFor();
    expect(opened.ran.filter((run) => run.startsWith('tabs-'))).toEqual(['tabs-a', 'tabs-b', 'tabs-c']);
    expect(readers).toHaveLength(2);
    // The one of the world, and the one of what waits in all worlds.
    await expect.poll(openStreams).toBe(2);
  });

  itAtFullSize(
    'if more worlds are open than streams are allowed, they take turns, and the visible one works',
    async () => {
      const worlds: { tab: Page; world: string; chat: string }[] = [];
      for (let count = 0; count < TABS; count += 1) {
        const { world: id, chat, path: where } = await opened.newChat();
        for (const other of worlds) await other.tab.evaluate('look(false)');
        const known = tabs[count];
        const tab = known ?? (await visit.context.newPage());
        if (known === undefined) await tab.goto(`${opened.serving.url}${where}`);
        else await goTo(known, where);
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
    },
  );

  it('causes no errors on the page', () => {
    expect(visit.complaints).toEqual([]);
  });
});
