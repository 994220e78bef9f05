import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Notes what is said in passing: it goes after seconds, and a test that is slower must still hear of it. */
export const REMARKS = `
  globalThis.remarks = [];
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      if (target.getAttribute?.('role') === 'status')
        for (const node of addedNodes) remarks.push(node.textContent);
  }).observe(document, { childList: true, subtree: true });
`;

/**
 * Goes to another page of the app as its links do, without loading the app again, which takes four times as much CPU. What was said in
 * passing before is forgotten.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`remarks.length = 0; history.pushState(null, '', ${JSON.stringify(path)})`);
}

/** What a person does, in the words on the screen. */
export async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

export function call(name: string, args: Record<string, unknown>): string {
  return `call ${name} ${JSON.stringify(args)}`;
}

export function press(button: string): string {
  return call('press', { button });
}

export function button(page: Page, name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** Waits until this can be pressed. The browser waits with less CPU than a test that asks it every 50 ms. */
export async function enabled(control: Locator): Promise<void> {
  await control.and(control.page().locator(':enabled:not([aria-disabled=true])')).waitFor();
}

/** Opens the menu of the card beside *Approve once*, and takes what is called so. */
export async function choose(page: Page, name: 'Approve for this chat' | 'Always…' | 'Edit'): Promise<void> {
  await button(page, 'More choices').click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

/** Writes why a call is denied, and denies nothing yet. */
export async function giveReason(page: Page, words: string): Promise<void> {
  await button(page, 'Reason…').click();
  await page.getByLabel('Reason', { exact: true }).fill(words);
}

/** The bar over the page: what it is called, who works, and what can be done. */
export function topBar(page: Page): Locator {
  return page.getByRole('main').locator('header').first();
}

/** The card in the transcript of the call with these words. */
export function toolCard(page: Page, words: string): Locator {
  return page.locator('[data-invocation]').filter({ hasText: words });
}

/** The question about the call with these words, where it is answered. While another one is on its way, that stands there. */
export function asks(page: Page, words: string): Locator {
  const call = page.locator('[data-call]').filter({ hasText: words });
  return page.getByRole('region', { name: /wants to/ }).filter({ has: call });
}

/** The story of the call with these words, after somebody else has decided. */
export function decided(page: Page, words: string): Locator {
  return page.getByRole('region', { name: /^Decided/ }).filter({ hasText: words });
}

/**
 * What an agent has said, to its end: only then it has a time. Never a person's own message, which has the same words where it tells
 * the agent what to say.
 */
export function said(page: Page, words: string): Locator {
  return page
    .locator('article:not([aria-label="you"])')
    .filter({ has: page.locator('header time') })
    .filter({ hasText: words })
    .last();
}

/** What a person has written. */
export function wrote(page: Page, words: string): Locator {
  return page.getByRole('article', { name: 'you', exact: true }).filter({ hasText: words }).last();
}

/** Opens the card of a call that has ended. One that ran may have opened by itself: a click would close that. */
export async function unfold(card: Locator): Promise<void> {
  const fold = card.getByRole('button').first();
  if ((await fold.getAttribute('aria-expanded')) !== 'true') await fold.click();
}

/** Waits for what is said in passing, and gone after seconds, by the notes that a visit keeps of it since the page was loaded. */
export async function remarked(page: Page, words: string): Promise<void> {
  await expect
    .poll(() => page.evaluate<string[]>('remarks'), { message: 'what was said in passing' })
    .toContainEqual(expect.stringContaining(words));
}

/** What the page sends as answers to questions, from now on. */
export function answersFrom(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/tool-results')) sent.push(request.postData() ?? '');
  });
  return sent;
}

/** Sends what stands in the field with Enter, once it can be sent: a message on its way holds the next one up. */
export async function sendByKey(page: Page): Promise<void> {
  await enabled(button(page, 'Send'));
  await page.getByLabel('Message').press('Enter');
}

/** Two frames later: what was drawn is told by then. */
export async function drawn(page: Page, stopped?: BrowserContext): Promise<void> {
  const frames = page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  );
  // Frames are counted by the clock of the page.
  await stopped?.clock.runFor(100);
  await frames;
}

/** Keeps what the page asks of the server at these addresses waiting. `asked`: there is one that waits. */
export async function holdUp(
  page: Page,
  address: string | RegExp,
): Promise<{ asked: Promise<void>; letGo: () => void }> {
  const [released, letGo] = gate();
  const [asked, isAsked] = gate();
  await page.route(address, async (route) => {
    // Not before it is held: one that got through would bring the answer that is to be late.
    isAsked();
    await released;
    await route.fallback();
  });
  return { asked, letGo };
}

function gate(): [opened: Promise<void>, open: () => void] {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open()];
}

// These tests are checked without a browser's types: what is asked of the page itself is said here.

/** How many pixels run over the right edge of the window. */
export async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

interface ScrollBox {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

/** Scrolls to exactly this place, as a person would with a wheel that turns up. */
export async function scrollTo(box: Locator, top: number): Promise<void> {
  await box.dispatchEvent('wheel', { deltaY: -1 });
  await box.evaluate((element: ScrollBox, wanted: number) => {
    Object.assign(element, { scrollTop: wanted });
  }, top);
}

export async function aboveView(box: Locator): Promise<number> {
  return await box.evaluate(({ scrollTop }: ScrollBox) => scrollTop);
}

/** How far the end of a box is below what is seen of it. */
export async function belowView(box: Locator): Promise<number> {
  return await box.evaluate(
    ({ scrollTop, scrollHeight, clientHeight }: ScrollBox) => scrollHeight - scrollTop - clientHeight,
  );
}

/** Waits until a box has come to rest: a wheel may go on turning it for a while. */
export async function atRest(box: Locator): Promise<void> {
  const page = box.page();
  let before = Number.NaN;
  await expect
    .poll(async () => {
      const last = before;
      await drawn(page);
      before = await aboveView(box);
      return before === last;
    })
    .toBe(true);
}

export async function addresses(links: Locator): Promise<string[]> {
  const found: string[] = [];
  for (const link of await links.all()) found.push((await link.getAttribute('href')) ?? '');
  return found;
}

/** Goes on with Tab until what has this name has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `(() => {
    const element = document.activeElement;
    const label = element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? '';
    return label.trim();
  })()`;
  for (let presses = 0; presses < 120; presses += 1) {
    if ((await page.evaluate<string>(focused)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`"${name}" can't be reached with Tab`);
}
