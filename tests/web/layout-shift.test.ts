import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import {
  aboveView,
  atRest,
  belowView,
  button,
  call,
  drawn,
  enabled,
  goTo,
  press,
  said,
  toolCard,
  topBar,
  wrote,
} from './support/steps.js';

interface Shift {
  at: number;
  value: number;
  moved: { what: string; isState: boolean; sideways: number; down: number }[];
}

/** Every layout shift without user input, as measured by the browser, with its time. */
const WATCH = `
  globalThis.shifts = [];
  const note = (entries) => {
    for (const { startTime: at, value, hadRecentInput, sources } of entries)
      if (!hadRecentInput)
        globalThis.shifts.push({
          at,
          value,
          // The rest of a list moves up when an entry is removed; nothing is approved there. Removed elements can't be
          // clicked.
          moved: sources.filter(({ node }) => node?.isConnected && !(node.parentElement ?? node).closest('[aria-label="Also waiting"]')).map(({ node, previousRect: from, currentRect: to }) =>
            ({ what: (node?.outerHTML ?? '').slice(0, 120), isState: (node.parentElement ?? node).closest('[data-invocation], [aria-label="Last turn"]') !== null, sideways: to.x - from.x, down: to.y - from.y })),
        });
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  // Includes shifts that were measured but not reported yet.
  globalThis.shiftsSince = (time) => {
    note(observer.takeRecords());
    return globalThis.shifts.filter(({ at }) => at >= time);
  };
`;

/** Simulates a busy machine: scroll events arrive late, and not always in order. */
const HEARS_LATE = `
  let passes = false;
  let heard = 0;
  addEventListener(
    'scroll',
    (event) => {
      if (passes) return;
      event.stopImmediatePropagation();
      heard += 1;
      setTimeout(() => {
        passes = true;
        event.target.dispatchEvent(new Event('scroll'));
        passes = false;
      }, (heard * 70) % 310);
    },
    true,
  );
`;

/** Later bursts vary more in length. */
const BURSTS = Array.from({ length: 12 }, (_, index) => index + 1);

describe.runIf(hasBrowser)('a stable layout', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ script: WATCH });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** Layout shifts after the chat has loaded, while something happens elsewhere, so that no click on this page causes them. */
  async function shiftsWhile(messages: readonly string[], done: (page: Page) => Promise<unknown>): Promise<Shift[]> {
    const { world, chat, path } = await opened.newChat();
    const { page } = visit;
    await goTo(page, path);
    await page.getByLabel('Message').waitFor();
    for (const content of messages.slice(0, -1)) {
      await opened.api.send(world, chat, { content });
      const [begins = ''] = content.replace('say ', '').split('\n');
      await said(page, begins).waitFor();
    }
    // Everything is rendered and idle, so earlier shifts don't count.
    await expect.poll(() => opened.api.chat(world, chat).then(({ status }) => status)).toBe('idle');
    await expect.poll(() => topBar(page).getByText('working').count()).toBe(0);
    await page.getByRole('link', { name: 'Ada' }).first().waitFor();
    if (messages.length > 1) await page.getByRole('region', { name: 'Last turn' }).waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await drawn(page);
    const startedAt = await page.evaluate<number>('performance.now()');
    await opened.api.send(world, chat, { content: messages.at(-1) ?? '' });
    await done(page);
    await drawn(page);
    return await page.evaluate<Shift[]>(`shiftsSince(${startedAt})`);
  }
  /**
   * A status word or bar may change its width next to its call; nothing may move vertically, and nothing else
   * horizontally.
   */
  const tooFar = (shifts: readonly Shift[]): Shift['moved'] =>
    shifts.flatMap(({ moved }) => moved.filter(({ down, isState }) => down !== 0 || !isState));
  /** Uses the largest shift: the number of shifts depends on how often a slow page was painted. */
  const largest = (shifts: readonly Shift[]): number => Math.max(0, ...shifts.map(({ value }) => value));

  const long = Array.from({ length: 40 }, (_, index) => `Line ${index} of what is said.`).join('\n\n');

  itAtFullSize('does not shift while an answer streams at the end of a long one', async () => {
    const shifts = await shiftsWhile([`say First. ${long}`, `say Second. ${long}`], (page) =>
      said(page, 'Second.').waitFor(),
    );
    expect(shifts).toEqual([]);
  });

  itAtFullSize('does not shift while an answer with highlighted code streams into an empty chat', async () => {
    const code = '```ts\nconst answer: number = 42;\nexport { answer };\n```';
    const shifts = await shiftsWhile([`say ${long}\n\n${code}\n\nafter it`], (page) =>
      said(page, 'after it').locator('.hljs-number').waitFor(),
    );
    expect(shifts).toEqual([]);
  });

  it('does not shift while one of three calls runs, one needs approval and one is denied', async () => {
    const calls = [press('steady-a'), press('steady-b'), call('shell_cmd', { command: 'exit 3' })].join('\n');
    const shifts = await shiftsWhile(['say hello', calls], async (page) => {
      await page.getByRole('list', { name: 'Also waiting' }).getByText('3 of 3').waitFor();
      const [, , world = ''] = new URL(page.url()).pathname.split('/');
      const { items } = await opened.api.approvals(world);
      for (const [index, approval] of items.entries())
        await opened.api.decide(world, approval, { decision: index === 1 ? 'deny' : 'approve' });
      await said(page, 'Finished. done / denied').waitFor();
    });
    expect(tooFar(shifts)).toEqual([]);
    expect(largest(shifts)).toBeLessThan(0.005);
  });

  itAtFullSize('does not shift while a call runs and prints', async () => {
    const shifts = await shiftsWhile(['say hello', call('watch', {})], async (page) => {
      await toolCard(page, 'watch').getByText('the first line').waitFor();
      const [, , world = '', , chat = ''] = new URL(page.url()).pathname.split('/');
      await opened.api.stop(world, chat);
      await toolCard(page, 'watch').getByText('stopped', { exact: true }).waitFor();
    });
    expect(tooFar(shifts)).toEqual([]);
    expect(largest(shifts)).toBeLessThan(0.005);
  });

  it('keeps a card in place when more calls arrive', async () => {
    const { world, chat, path } = await opened.newChat();
    const { page } = visit;
    await opened.api.createAgent(world, { name: 'Bea', provider: 'obedient', model: 'test', tools: ['*'] });
    await goTo(page, path);
    await page.getByRole('link', { name: 'Bea' }).first().waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await opened.api.send(world, chat, { content: `@Ada\n${press('still-a')}` });
    await enabled(button(page, 'Approve once'));
    const before = await button(page, 'Approve once').boundingBox();
    await opened.api.send(world, chat, { content: `@Bea\n${press('still-b')}` });
    await page.getByRole('list', { name: 'Also waiting' }).waitFor();
    expect(await button(page, 'Approve once').boundingBox()).toEqual(before);
  });

  for (const width of [1440, 390])
    itAtFullSize(
      `[CALL18.1] at ${width} a toast and the connection banner don’t cover titles, Stop or the approval buttons`,
      async () => {
        const { world, chat, path } = await opened.newChat();
        const { page } = visit;
        onTestFinished(async () => {
          await page.unrouteAll({ behavior: 'ignoreErrors' });
          await page.setViewportSize({ width: 1440, height: 900 });
        });
        await page.setViewportSize({ width, height: 844 });
        await goTo(page, path);
        await opened.api.send(world, chat, { content: [press('free-a'), press('free-b')].join('\n') });
        await topBar(page).getByRole('button', { name: 'Stop' }).waitFor();
        const isPhone = width === 390;
        const toasts = page.getByRole('button', { name: 'Dismiss' }).locator('..');
        const notices = (): Locator[] => [toasts, page.getByText('No connection to the server').locator('..')];
        await page.route(/\/(?:events|stop)\b/, (route) => route.abort());
        await page.reload();
        await page.getByText('No connection to the server').waitFor();
        const sender = page.getByRole('main').getByText('you', { exact: true }).first();
        await sender.waitFor();
        expect(await overlaps(notices().slice(1), [sender])).toEqual([]);
        await topBar(page).getByRole('button', { name: 'Stop' }).click();
        await toasts.waitFor();
        const free = [page.getByRole('heading', { level: 1 }), topBar(page).getByRole('button', { name: 'Stop' })];
        expect(await overlaps(notices(), [...free, page.getByRole('log'), page.getByLabel('Message')])).toEqual([]);
        const sheet = isPhone ? await openSheet(page) : [];
        expect(await overlaps(notices(), [...sheet, ...signing(page)])).toEqual([]);
        await goTo(page, isPhone ? '/inbox?card' : '/inbox');
        await page.getByText('No connection to the server').waitFor();
        const head = page.getByRole('main').getByText('wants to').first();
        await head.waitFor();
        const banner = page.getByText('No connection to the server').locator('..');
        expect(await overlaps([banner], [page.getByRole('heading', { level: 1 }), head, ...signing(page)])).toEqual([]);
      },
    );

  describe('a reader at the end of a chat', () => {
    // A message to nobody is followed by a notice; one to a person is not.
    for (const to of ['@human', '@nobody'])
      itAtFullSize(
        `stays there while many messages to ${to} arrive together, however late scroll events are`,
        async () => {
          const { world, chat, path } = await opened.newChat();
          const { page, complaints } = await opened.visit({ script: HEARS_LATE });
          await goTo(page, path);
          const log = page.getByRole('log', { name: 'Transcript' });
          for (const burst of BURSTS) {
            const words = Array.from({ length: 20 }, (_, index) => `${to} ${'and more words '.repeat(index % burst)}`);
            await Promise.all(words.map((content) => opened.api.send(world, chat, { content })));
            await opened.api.send(world, chat, { content: `${to} the end of ${burst}.` });
            await wrote(page, `the end of ${burst}.`).waitFor();
            await expect.poll(() => belowView(log)).toBeLessThan(40);
          }
          expect(complaints).toEqual([]);
        },
      );

    it('can scroll up a little, stays there while more arrives, and follows again at the end', async () => {
      const { world, chat, path } = await opened.newChat();
      for (let number = 1; number <= 30; number += 1)
        await opened.api.send(world, chat, { content: `@human number ${number}.` });
      const { page } = visit;
      await goTo(page, path);
      const log = page.getByRole('log', { name: 'Transcript' });
      await wrote(page, 'number 30.').waitFor();
      await expect.poll(() => belowView(log)).toBeLessThan(1);
      await log.hover();
      await page.mouse.wheel(0, -40);
      await expect.poll(() => belowView(log)).toBeGreaterThan(30);
      await atRest(log);
      const before = await aboveView(log);
      await opened.api.send(world, chat, { content: '@human number 31.' });
      await expect.poll(() => belowView(log)).toBeGreaterThan(60);
      expect(await aboveView(log)).toBe(before);
      await page.mouse.wheel(0, 4000);
      // A wheel gesture scrolls to where the end was when it started.
      await expect.poll(() => belowView(log)).toBeLessThan(40);
      await opened.api.send(world, chat, { content: '@human number 32.' });
      await wrote(page, 'number 32.').waitFor();
      await expect.poll(() => belowView(log)).toBeLessThan(1);
    });

    itAtFullSize('still sees the end when the composer grows', async () => {
      const { world, chat, path } = await opened.newChat();
      for (let number = 1; number <= 30; number += 1)
        await opened.api.send(world, chat, { content: `@human number ${number}.` });
      const { page } = visit;
      await goTo(page, path);
      const log = page.getByRole('log', { name: 'Transcript' });
      await wrote(page, 'number 30.').waitFor();
      await expect.poll(() => belowView(log)).toBeLessThan(1);
      const height = async (): Promise<number> => (await log.boundingBox())?.height ?? 0;
      const before = await height();
      await page.getByLabel('Message').fill('one\n'.repeat(8));
      await expect.poll(height).toBeLessThan(before);
      await expect.poll(() => belowView(log)).toBeLessThan(1);
    });

    itAtFullSize(
      'keeps a call open if it opened automatically just before the click, and closes it on the next click',
      async () => {
        const { world, chat, path } = await opened.newChat();
        const { page } = visit;
        await goTo(page, path);
        await page.getByLabel('Message').waitFor();
        // Clicks at the moment it opens, as if the person aimed while it was still closed.
        await page.evaluate(`
        const observer = new MutationObserver(() => {
          const header = document.querySelector('[data-invocation] button[aria-expanded="true"]');
          if (header === null) return;
          observer.disconnect();
          header.click();
          header.dataset.clicked = 'early';
        });
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      `);
        await opened.api.send(world, chat, { content: call('watch', {}) });
        const header = toolCard(page, 'watch').getByRole('button').first();
        await expect.poll(() => header.getAttribute('data-clicked')).toBe('early');
        await expect.poll(() => toolCard(page, 'watch').getByText('running').count()).toBe(1);
        expect(await header.getAttribute('aria-expanded')).toBe('true');
        await header.click();
        await expect.poll(() => header.getAttribute('aria-expanded')).toBe('false');
        await opened.api.stop(world, chat);
        await toolCard(page, 'watch').getByText('stopped', { exact: true }).waitFor();
      },
    );

    itAtFullSize('opens a call without moving its header, and closes it in place', async () => {
      const { world, chat, path } = await opened.newChat();
      for (let number = 1; number <= 20; number += 1)
        await opened.api.send(world, chat, { content: `@nobody number ${number}.` });
      const command = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
      await opened.api.send(world, chat, { content: call('press', { button: command }) });
      await expect.poll(async () => (await opened.api.approvals(world)).items.length).toBe(1);
      for (const approval of (await opened.api.approvals(world)).items)
        await opened.api.decide(world, approval, { decision: 'approve', scope: 'once' });
      // A call that is visible while it runs opens automatically.
      await expect.poll(async () => (await opened.api.chat(world, chat)).status).toBe('idle');
      const { page } = visit;
      await page.setViewportSize({ width: 390, height: 844 });
      await goTo(page, path);
      const log = page.getByRole('log', { name: 'Transcript' });
      await said(page, 'Finished. done').waitFor();
      const header = toolCard(page, 'press').getByRole('button').first();
      await header.waitFor();
      await expect.poll(() => belowView(log)).toBeLessThan(1);
      await atRest(log);
      // Relative to the transcript: a call of another chat may add the bar above it at any time.
      const top = async (): Promise<number> =>
        Math.round(((await header.boundingBox())?.y ?? 0) - ((await log.boundingBox())?.y ?? 0));
      const before = await top();
      await header.click();
      await expect.poll(() => header.getAttribute('aria-expanded')).toBe('true');
      await expect.poll(() => belowView(log)).toBeGreaterThan(100);
      await atRest(log);
      expect(await top()).toBe(before);
      // Later messages don't move it either.
      await opened.api.send(world, chat, { content: '@nobody number 21.' });
      await expect.poll(() => page.getByText('number 21.').count()).toBe(1);
      await atRest(log);
      expect(await top()).toBe(before);
      await header.click();
      await expect.poll(() => header.getAttribute('aria-expanded')).toBe('false');
      await atRest(log);
      expect(await top()).toBe(before);
    });
  });

  it('causes no errors on the page', () => {
    expect(visit.complaints).toEqual([]);
  });
});

/** Opens the sheet of a phone, and returns what must stay uncovered besides the approval buttons. */
async function openSheet(page: Page): Promise<Locator[]> {
  await page.getByRole('button', { name: /2 waiting for you/ }).click();
  const sheet = page.getByRole('dialog', { name: 'Waiting for you' });
  await sheet.getByRole('button', { name: 'Dismiss' }).waitFor();
  return [sheet.getByRole('heading', { name: 'Waiting for you' }), button(page, 'Close')];
}

/** The approve and deny buttons in the bar of a card. */
function signing(page: Page): Locator[] {
  return ['Deny', 'Reason…', 'Approve once', 'More choices'].map((name) => button(page, name));
}

/** Returns the pairs of elements that overlap. */
async function overlaps(over: readonly Locator[], under: readonly Locator[]): Promise<string[]> {
  const found: string[] = [];
  for (const upper of over)
    for (const lower of under) {
      const [a, b] = [await upper.boundingBox(), await lower.boundingBox()];
      if (a === null || b === null) throw new Error('what is compared is not on the screen');
      const isApart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
      if (!isApart) found.push(`${await upper.innerText()} over ${await lower.innerText()}`);
    }
  return found;
}
