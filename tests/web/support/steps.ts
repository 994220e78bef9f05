import type { Locator, Page } from 'playwright-core';

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

/** The bar over the page: what it is called, who works, and what can be done. */
export function topBar(page: Page): Locator {
  return page.getByRole('main').locator('header').first();
}

/** The card in the transcript of the call with these words. */
export function toolCard(page: Page, words: string): Locator {
  return page.locator('[data-invocation]').filter({ hasText: words });
}

export function said(page: Page, words: string): Locator {
  return page.getByRole('article').filter({ hasText: words }).last();
}

/** Keeps what the page asks of the server at these addresses waiting. `asked`: there is one that waits. */
export async function holdUp(page: Page, address: string): Promise<{ asked: Promise<unknown>; letGo(): void }> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = page.waitForRequest(address);
  // A test that fails before it looks says why by itself.
  asked.catch(() => undefined);
  await page.route(address, async (route) => {
    await released;
    await route.fallback();
  });
  return { asked, letGo: () => release() };
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

export async function scrollTo(box: Locator, top: number): Promise<void> {
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
