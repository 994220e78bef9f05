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

/** The card in the transcript of the call with these words. */
export function toolCard(page: Page, words: string): Locator {
  return page.locator('[data-invocation]').filter({ hasText: words });
}

export function said(page: Page, words: string): Locator {
  return page.getByRole('article').filter({ hasText: words }).last();
}
