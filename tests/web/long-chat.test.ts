import type { NewMessage } from '@countersign/core/ports';
import { stepOf } from '@countersign/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, type Visit } from './support/open-browser.js';
import { aboveView, atRest, belowView, goTo, holdUp, said, scrollTo, write, wrote } from './support/steps.js';

const COUNT = isFullSize ? 10_000 : 1_000;
/** Requests for older messages. */
const OLDER = /\/messages\?.*before=/;

/** How often the wheel turns each way. */
const WHEEL_STEPS = 25;
/** How many older pages are loaded. */
const PAGES = isFullSize ? 5 : 2;

describe.runIf(hasBrowser)(`a chat of ${COUNT} messages`, () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    const { world, chat, path } = await opened.newChat();
    await stepOf(opened.serving.home.engine.runtime.store, world, { chats: [chat] }, (tx) => {
      for (let number = 1; number <= COUNT; number += 1) tx.appendMessage(messageOf(number, world, chat));
    });
    visit = await opened.visit({ path });
  });
  afterAll(() => opened.close());

  it('opens at its end with only part of the messages, and keeps the page small', async () => {
    const { page } = visit;
    await wrote(page, `number ${COUNT} `).waitFor();
    await expect.poll(() => isAtEnd()).toBe(true);
    expect(await page.getByRole('article').count()).toBeLessThan(60);
  });

  it('loads older pages when scrolling up, and the visible part stays in place', async () => {
    const { page } = visit;
    const log = page.getByRole('log', { name: 'Transcript' });
    for (let pages = 0; pages < PAGES; pages += 1) {
      const before = await lowest();
      const pageBefore = await holdUp(page, OLDER);
      await scrollUntil(pageBefore.asked);
      await atRest(log);
      // What is visible before the page arrives.
      const seen = await lowest();
      expect(seen).toBeLessThan(before);
      pageBefore.letGo();
      // The prepended page increases the scroll position by its height, and doesn't move the view.
      await expect.poll(() => aboveView(log)).toBeGreaterThan(1000);
      await atRest(log);
      await expect.poll(async () => Math.abs((await lowest()) - seen)).toBeLessThan(50);
      await page.unroute(OLDER);
    }
    expect(await lowest()).toBeLessThan(COUNT - 40 * PAGES);
    expect(await page.getByRole('article').count()).toBeLessThan(60);
  });

  it('[STORE7] requests a page only once if it can’t be loaded, and again when someone scrolls', async () => {
    const { page } = visit;
    const log = page.getByRole('log', { name: 'Transcript' });
    let asked = 0;
    const problem = { type: 'about:blank', title: 'Busy', status: 503, detail: 'The store is busy.' };
    await page.route(OLDER, async (route) => {
      asked += 1;
      await route.fulfill({ status: 503, json: problem });
    });
    // Refuse only after scrolling has stopped: later movement would count as scrolling.
    const refusal = await holdUp(page, OLDER);
    await scrollUntil(refusal.asked);
    await atRest(log);
    refusal.letGo();
    await page.getByText('The store is busy.').waitFor();
    // Long enough for a page that retries too eagerly to send many requests.
    const FRAMES = `new Promise((done) => { let n = 0; const tick = () => (n += 1) > 40 ? done() : requestAnimationFrame(tick); tick(); })`;
    await page.evaluate(FRAMES);
    expect(asked).toBe(1);
    const before = await lowest();
    await page.unroute(OLDER);
    await scrollTo(log, 100);
    await expect.poll(() => lowest()).toBeLessThan(before);
  });

  it('returns to the end, and follows an answer there without a jump', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await wrote(page, `number ${COUNT} `).waitFor();
    await expect.poll(() => isAtEnd()).toBe(true);
    await write(page, `say ${Array.from({ length: 30 }, (_, index) => `Paragraph ${index}.`).join('\n\n')}`);
    await said(page, 'Paragraph 29.').waitFor();
    await expect.poll(() => isAtEnd()).toBe(true);
    expect(visit.complaints).toEqual([]);
  });

  itAtFullSize('scrolls both ways without an empty view, and without jumping back', async () => {
    const { page } = visit;
    const log = page.getByRole('log', { name: 'Transcript' });
    const box = await log.boundingBox();
    if (box === null) throw new Error('there is no transcript');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    // Past the answer at the end, which has no number.
    await page.mouse.wheel(0, -4000);
    await expect.poll(() => inTheMiddle()).toBeGreaterThan(0);
    await atRest(log);
    for (const direction of [-1, 1]) {
      const numbers: number[] = [];
      for (let steps = 0; steps < WHEEL_STEPS; steps += 1) {
        const before = await aboveView(log);
        await page.mouse.wheel(0, direction * 700);
        await expect.poll(() => aboveView(log)).not.toBe(before);
        await atRest(log);
        // Wherever the wheel stops, a message is visible.
        let number = 0;
        await expect.poll(async () => (number = await inTheMiddle())).toBeGreaterThan(0);
        numbers.push(number);
      }
      expect(numbers).toEqual(numbers.toSorted((a, b) => (a - b) * direction));
      expect(Math.abs((numbers[0] ?? 0) - (numbers.at(-1) ?? 0))).toBeGreaterThan(50);
    }
    expect(await page.getByRole('article').count()).toBeLessThan(60);
  });

  it('opens at a message near its start, and marks it', async () => {
    const { page } = visit;
    await goTo(page, `${new URL(page.url()).pathname}?message=msg_long000007`);
    const found = page.locator('article[aria-current]').filter({ hasText: 'number 7 of many' });
    // Rows above it are measured later, so it reaches its place after it appears.
    await expect.poll(async () => (await found.boundingBox())?.y).toSatisfy((y: number) => y > 0 && y < 900);
    expect(await page.getByRole('article').count()).toBeLessThan(60);
    expect(visit.complaints).toEqual([]);
  });

  /**
   * Scrolls up until older messages are requested. One scroll has no effect while another page is loading, or if the list returns
   * to the end at that moment: then a test waited for the request until its timeout.
   */
  async function scrollUntil(asked: Promise<void>): Promise<void> {
    const log = visit.page.getByRole('log', { name: 'Transcript' });
    let isAsked = false;
    void asked.then(() => {
      isAsked = true;
    });
    let top = 200;
    const scrollOn = async (): Promise<boolean> => {
      if (!isAsked) await scrollTo(log, (top -= 1));
      return isAsked;
    };
    await expect.poll(scrollOn, { interval: 500 }).toBe(true);
  }

  /** The number of the message in the middle of the view, or 0. */
  async function inTheMiddle(): Promise<number> {
    return await visit.page.evaluate<number>(`(() => {
      const { left, top, width, height } = document.querySelector('[role=log]').getBoundingClientRect();
      for (const x of [left + width / 2, left + width / 3])
        for (const y of [0, 12, 24, 36])  {
          const row = document.elementFromPoint(x, top + height / 2 + y)?.closest('article');
          const number = /number (\\d+)/.exec(row?.textContent ?? '')?.[1];
          if (number !== undefined) return Number(number);
        }
      return 0;
    })()`);
  }

  async function isAtEnd(): Promise<boolean> {
    return (await belowView(visit.page.getByRole('log', { name: 'Transcript' }))) < 40;
  }

  async function lowest(): Promise<number> {
    const texts = await visit.page.getByRole('article').allInnerTexts();
    return Math.min(...texts.flatMap((text) => Number(/number (\d+)/.exec(text)?.[1] ?? COUNT)));
  }
});

function messageOf(number: number, worldId: string, chatId: string): NewMessage {
  return {
    id: `msg_long${String(number).padStart(6, '0')}`,
    worldId,
    chatId,
    role: 'user',
    sender: 'human',
    who: null,
    speaker: 'human',
    agentId: null,
    turnId: null,
    iteration: null,
    replyTo: null,
    content: `This is number ${number} of many. ${'Some are longer than others. '.repeat(number % 7)}`,
    addressees: [],
    toolCalls: null,
    toolCallId: null,
    clientMessageId: null,
    attachments: null,
    providerState: null,
    secrets: [],
  };
}
