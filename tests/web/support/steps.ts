import { readFile } from 'node:fs/promises';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Records toasts: they disappear after seconds, and a slow test must still see them. */
export const REMARKS = `
  globalThis.remarks = [];
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      if (target.getAttribute?.('role') === 'status')
        for (const node of addedNodes) remarks.push(node.textContent);
  }).observe(document, { childList: true, subtree: true });
`;

/**
 * Navigates within the app as its links do, without reloading it, which takes four times as much CPU. Forgets earlier
 * toasts.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`remarks.length = 0; history.pushState(null, '', ${JSON.stringify(path)})`);
}

/** Actions of a person, by the text on the screen. */
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

/** Waits until a control is enabled. The browser waits with less CPU than a test that polls every 50 ms. */
export async function enabled(control: Locator): Promise<void> {
  await control.and(control.page().locator(':enabled:not([aria-disabled=true])')).waitFor();
}

/** Waits until a control has the focus. */
export async function focused(control: Locator): Promise<void> {
  await control.and(control.page().locator(':focus')).waitFor();
}

/** Skips the second in which a card that has just appeared can't be decided (CALL18). The visit needs `clock`. */
export async function ready(page: Page, name: string): Promise<void> {
  await button(page, name).waitFor();
  await page.clock.fastForward(1500);
  await enabled(button(page, name));
}

/** Presses a button of a card that has just appeared, without its first second. The visit needs `clock`. */
export async function decide(page: Page, name: string): Promise<void> {
  await ready(page, name);
  await button(page, name).click();
}

/** Opens the card's menu next to *Approve once*, and chooses this entry. */
export async function choose(page: Page, name: 'Approve for this chat' | 'Always…' | 'Edit'): Promise<void> {
  await button(page, 'More choices').click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

/** Enters the reason for a denial, without denying yet. */
export async function giveReason(page: Page, words: string): Promise<void> {
  await button(page, 'Reason…').click();
  await page.getByLabel('Reason', { exact: true }).fill(words);
}

/** The file that this button downloads. */
export async function downloaded(page: Page, name: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** The bar at the top of the page: title, who is working, and actions. */
export function topBar(page: Page): Locator {
  return page.getByRole('main').locator('header').first();
}

/** The card in the transcript of the call with this text. */
export function toolCard(page: Page, words: string): Locator {
  return page.locator('[data-invocation]').filter({ hasText: words });
}

/** The rows of the inbox: calls, and groups of alike calls. */
export function rows(page: Page): Locator {
  return page.getByRole('list', { name: 'Waiting calls' }).locator('[data-row]');
}

/** The row of the call with this text. */
export function row(page: Page, words: string): Locator {
  return rows(page).filter({ has: page.locator('code', { hasText: words }) });
}

/** The box that selects a call of the inbox. */
export function select(page: Page, words: string): Locator {
  return page.getByRole('checkbox', { name: new RegExp(`^Select .*${words}`) });
}

/** The approval card of the call with this text. While another one is being sent, that one is shown. */
export function asks(page: Page, words: string): Locator {
  const call = page.locator('[data-call]').filter({ hasText: words });
  return page.getByRole('region', { name: /wants to/ }).filter({ has: call });
}

/** The decided card of the call with this text, after someone else decided. */
export function decided(page: Page, words: string): Locator {
  return page.getByRole('region', { name: /^Decided/ }).filter({ hasText: words });
}

/**
 * A complete message from an agent: only complete ones have a time. Never the person's own message, which contains the
 * same text.
 */
export function said(page: Page, words: string): Locator {
  return page
    .locator('article:not([aria-label="you"])')
    .filter({ has: page.locator('header time') })
    .filter({ hasText: words })
    .last();
}

/** A message from a person. */
export function wrote(page: Page, words: string): Locator {
  return page.getByRole('article', { name: 'you', exact: true }).filter({ hasText: words }).last();
}

/** Opens the card of an ended call, unless it has opened automatically: then a click would close it. */
export async function unfold(card: Locator): Promise<void> {
  const fold = card.getByRole('button').first();
  if ((await fold.getAttribute('aria-expanded')) !== 'true') await fold.click();
}

/** Waits for a toast since the page was loaded, using the recorded ones. */
export async function remarked(page: Page, words: string): Promise<void> {
  await expect
    .poll(() => page.evaluate<string[]>('remarks'), { message: 'what was said in passing' })
    .toContainEqual(expect.stringContaining(words));
}

/** The decisions that the page sends from now on. */
export function answersFrom(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/tool-results')) sent.push(request.postData() ?? '');
  });
  return sent;
}

/** Sends the draft with Enter once that is possible: a message being sent blocks the next one. */
export async function sendByKey(page: Page): Promise<void> {
  await enabled(button(page, 'Send'));
  await page.getByLabel('Message').press('Enter');
}

/** Waits two frames, after which layout shifts are reported. */
export async function drawn(page: Page, stopped?: BrowserContext): Promise<void> {
  const frames = page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  );
  // Frames follow the page's clock.
  await stopped?.clock.runFor(100);
  await frames;
}

/** Holds back the page's requests to these URLs. `asked` resolves when a request is waiting. */
export async function holdUp(
  page: Page,
  address: string | RegExp,
): Promise<{ asked: Promise<void>; letGo: () => void }> {
  const [released, letGo] = gate();
  const [asked, isAsked] = gate();
  await page.route(address, async (route) => {
    // Resolves only once requests are held back: an earlier request would get its answer too early.
    isAsked();
    await released;
    await route.fallback();
  });
  return { asked, letGo };
}

/** Holds back the answer to the first request to this URL. The server has answered it when `asked` resolves. */
export async function holdAnswer(page: Page, address: string): Promise<{ asked: Promise<void>; letGo: () => void }> {
  const [released, letGo] = gate();
  const [asked, isAsked] = gate();
  await page.route(
    address,
    async (route) => {
      const response = await route.fetch();
      isAsked();
      await released;
      // The page may have given up on it.
      await route.fulfill({ response }).catch(() => undefined);
    },
    { times: 1 },
  );
  return { asked, letGo };
}

function gate(): [opened: Promise<void>, open: () => void] {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open()];
}

// These tests are compiled without DOM types, so code for the page is passed as text.

/** By how many pixels the page overflows the window on the right. After a resize, it is laid out in the next frame. */
export async function overflow(page: Page): Promise<number> {
  await drawn(page);
  return await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

interface ScrollBox {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

/** Scrolls to exactly this position, as a person would by turning a wheel up. */
export async function scrollTo(box: Locator, top: number): Promise<void> {
  await box.dispatchEvent('wheel', { deltaY: -1 });
  await box.evaluate((element: ScrollBox, wanted: number) => {
    Object.assign(element, { scrollTop: wanted });
  }, top);
}

export async function aboveView(box: Locator): Promise<number> {
  return await box.evaluate(({ scrollTop }: ScrollBox) => scrollTop);
}

/** Distance from the visible part of a box to its end. */
export async function belowView(box: Locator): Promise<number> {
  return await box.evaluate(
    ({ scrollTop, scrollHeight, clientHeight }: ScrollBox) => scrollHeight - scrollTop - clientHeight,
  );
}

/** Waits until a box has stopped scrolling. */
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

/** Presses Tab until the element with this name has the focus. */
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
