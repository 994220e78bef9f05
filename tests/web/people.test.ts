import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf } from './support/open-browser.js';
import { button, overflow, remarked, tabTo } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('people', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[W1.9] [W8.3] the account page creates and revokes tokens, ends sessions and signs out, with keys alone', async () => {
    const { page, complaints } = await opened.visit({ path: '/w/harbour' });
    const { page: other } = await opened.visit({ path: '/w/harbour', width: 390 });
    // The menu, reached with keys alone.
    const { name } = await opened.api.me();
    await tabTo(page, `Account: ${name}`);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Account', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    const main = page.getByRole('main');
    await main.getByText('this device', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);

    // A token is shown once.
    await tabTo(page, 'New token');
    await page.keyboard.press('Enter');
    await button(page, 'Create token').click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('backup');
    await page.keyboard.press('Enter');
    const shown = page.getByLabel('Token', { exact: true });
    await shown.waitFor();
    const token = await shown.inputValue();
    expect(token).toMatch(/^cs_/);
    expect(await violations(page)).toEqual([]);
    await button(page, 'Done').click();
    await page.getByText('may read · never used').waitFor();
    expect(await main.innerHTML()).not.toContain(token);
    const asToken = async (): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch(`${opened.serving.url}/api/me`, { headers })).status;
    };
    expect(await asToken()).toBe(200);
    await button(page, 'Revoke').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await remarked(page, 'Revoked “backup”.');
    expect(await asToken()).toBe(401);

    // The other browser is signed out at once, and so is this one on request.
    await button(page, 'End').click();
    await remarked(page, 'Session ended.');
    await other.getByText('This session has ended.').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(page)).toBe(0);
    await main.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Or paste a token').waitFor();
    expect(complaints).toEqual([]);
  });
});
