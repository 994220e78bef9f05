import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, call, drawn, enabled, goTo, press, said, toolCard, topBar, write } from './support/steps.js';

interface Shift {
  at: number;
  value: number;
  moved: { what: string; isState: boolean; sideways: number; down: number }[];
}

/** Every shift of the layout that no click or key has caused, as the browser itself measures it, with its time. */
const WATCH = `
  globalThis.shifts = [];
  const note = (entries) => {
    for (const { startTime: at, value, hadRecentInput, sources } of entries)
      if (!hadRecentInput)
        globalThis.shifts.push({
          at,
          value,
          // What is left of a list moves up when one of it goes; nothing is signed there. What is gone by now can't be hit.
          moved: sources.filter(({ node }) => node?.isConnected && !(node.parentElement ?? node).closest('[aria-label="Also waiting"]')).map(({ node, previousRect: from, currentRect: to }) =>
            ({ what: (node?.outerHTML ?? '').slice(0, 120), isState: (node.parentElement ?? node).closest('[data-invocation], [aria-label="Last turn"]') !== null, sideways: to.x - from.x, down: to.y - from.y })),
        });
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  // What was measured and is not yet told, too.
  globalThis.shiftsSince = (time) => {
    note(observer.takeRecords());
    return globalThis.shifts.filter(({ at }) => at >= time);
  };
`;

describe.runIf(hasBrowser)('a page that stands still', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ script: WATCH });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** What moves once the chat is there, while something is done from elsewhere: no click of this page excuses it. */
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
    // All of the page is there and drawn, and it knows that nobody works any more: what came in until then is not what is asked here.
    await expect.poll(() => opened.api.chat(world, chat).then(({ status }) => status)).toBe('idle');
    await expect.poll(() => topBar(page).getByText('working').count()).toBe(0);
    await page.getByRole('link', { name: 'Ada' }).first().waitFor();
    if (messages.length > 1) await page.getByRole('region', { name: 'Last turn' }).waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await drawn(page);
    const begun = await page.evaluate<number>('performance.now()');
    await opened.api.send(world, chat, { content: messages.at(-1) ?? '' });
    await done(page);
    await drawn(page);
    return await page.evaluate<Shift[]>(`shiftsSince(${begun})`);
  }
  /** A word or a bar of state may become longer or shorter beside its call; nothing may go up or down, and nothing else aside. */
  const tooFar = (shifts: readonly Shift[]): Shift['moved'] =>
    shifts.flatMap(({ moved }) => moved.filter(({ down, isState }) => down !== 0 || !isState));
  /** Of the one that moved most: how many there are says how often a slow page was drawn. */
  const largest = (shifts: readonly Shift[]): number => Math.max(0, ...shifts.map(({ value }) => value));

  const long = Array.from({ length: 40 }, (_, index) => `Line ${index} of what is said.`).join('\n\n');

  it('does not shift while an answer streams into an empty chat', async () => {
    const shifts = await shiftsWhile([`say ${long}`], (page) => said(page, 'Line 39').waitFor());
    expect(shifts).toEqual([]);
  });

  it('does not shift while an answer streams at the end of a long one', async () => {
    const before = [`say First. ${long}`, `say Second. ${long}`];
    const shifts = await shiftsWhile([...before, `say Third. ${long}`], (page) => said(page, 'Third.').waitFor());
    expect(shifts).toEqual([]);
  });

  it('does not shift while code comes in and gets its colours', async () => {
    const code = '```ts\nconst answer: number = 42;\nexport { answer };\n```';
    const shifts = await shiftsWhile([`say ${long}\n\n${code}\n\nafter it`], (page) =>
      said(page, 'after it').locator('.hljs-number').waitFor(),
    );
    expect(shifts).toEqual([]);
  });

  it('does not shift while three calls go their ways: one runs, one is asked, one is denied', async () => {
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

  it('does not shift while a call runs and writes', async () => {
    const shifts = await shiftsWhile(['say hello', call('watch', {})], async (page) => {
      await toolCard(page, 'watch').getByText('the first line').waitFor();
      const [, , world = '', , chat = ''] = new URL(page.url()).pathname.split('/');
      await opened.api.stop(world, chat);
      await toolCard(page, 'watch').getByText('stopped', { exact: true }).waitFor();
    });
    expect(tooFar(shifts)).toEqual([]);
    expect(largest(shifts)).toBeLessThan(0.005);
  });

  it('leaves a card where it is when more is asked', async () => {
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

  it.each([1440, 390])(
    '[A23] at %d a toast and the connection banner cover neither titles, nor Stop, nor the buttons that sign',
    async (width) => {
      const { path } = await opened.newChat();
      const { page } = visit;
      onTestFinished(async () => {
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.setViewportSize({ width: 1440, height: 900 });
      });
      await page.setViewportSize({ width, height: 844 });
      await goTo(page, path);
      await write(page, [press('free-a'), press('free-b')].join('\n'));
      await topBar(page).getByRole('button', { name: 'Stop' }).waitFor();
      const isPhone = width === 390;
      const toasts = page.getByRole('button', { name: 'Dismiss' }).locator('..');
      const notices = (): Locator[] => [toasts, page.getByText('No connection to the server').locator('..')];
      await page.route(/\/(?:events|stop)\b/, (route) => route.abort());
      await page.reload();
      await page.getByText('No connection to the server').waitFor();
      await topBar(page).getByRole('button', { name: 'Stop' }).click();
      await toasts.waitFor();
      const free = [page.getByRole('heading', { level: 1 }), topBar(page).getByRole('button', { name: 'Stop' })];
      expect(await overlaps(notices(), free)).toEqual([]);
      const sheet = isPhone ? await openSheet(page) : [];
      expect(await overlaps(notices(), [...sheet, ...signing(page)])).toEqual([]);
      await page.goto(`${opened.serving.url}/inbox`);
      await page.getByText('No connection to the server').waitFor();
      const head = page.getByRole('main').getByText('wants to').first();
      await head.waitFor();
      const banner = page.getByText('No connection to the server').locator('..');
      expect(await overlaps([banner], [page.getByRole('heading', { level: 1 }), head, ...signing(page)])).toEqual([]);
    },
  );

  it('is there and can be used soon after it is asked for', async () => {
    const { path } = await opened.newChat();
    const { page } = visit;
    await page.goto(`${opened.serving.url}${path}`);
    await page.getByLabel('Message').fill('ready');
    const times = await page.evaluate<{ html: number; usable: number }>(`(() => {
      const [load] = performance.getEntriesByType('navigation');
      return { html: Math.round(load.responseEnd), usable: Math.round(performance.now()) };
    })()`);
    // Told, not judged: how fast it is says as much about the machine as about the page.
    process.stderr.write(`web: the chat page can be typed into ${times.usable} ms after it was asked for\n`);
    expect(times.usable).toBeGreaterThan(0);
    await page.getByLabel('Message').fill('');
  });

  it('throws nothing', () => {
    expect(visit.complaints).toEqual([]);
  });
});

/** Opens the sheet of a phone, and gives what must stay free in it beside the buttons that sign. */
async function openSheet(page: Page): Promise<Locator[]> {
  await page.getByRole('button', { name: /2 waiting for you/ }).click();
  const sheet = page.getByRole('dialog', { name: 'Waiting for you' });
  await sheet.getByRole('button', { name: 'Dismiss' }).waitFor();
  return [sheet.getByRole('heading', { name: 'Waiting for you' }), button(page, 'Close')];
}

/** What signs or denies, in the bar at the foot of a card. */
function signing(page: Page): Locator[] {
  return ['Deny', 'Reason…', 'Approve once', 'More choices'].map((name) => button(page, name));
}

/** Which of these lie over which of those. */
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
