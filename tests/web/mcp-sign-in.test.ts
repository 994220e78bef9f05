import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { startOAuthServers } from '../mcp/support/oauth-servers.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, goTo, remarked } from './support/steps.js';
import { violations } from './support/violations.js';

const pictures = process.env['COUNTERSIGN_PICTURES'];

describe.runIf(hasBrowser)('sign-in to an MCP server', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ width: 390, height: 800 });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[MCP4] [MCP4.1] a person signs in on a phone, sees where, and signs out; a used link signs nobody in', async () => {
    const oauth = await startOAuthServers();
    const { world } = await opened.newChat();
    await opened.api.addMcpServer(world, { name: 'tides', transport: 'http', url: oauth.url });
    const { page } = visit;
    await goTo(page, `/w/${world}/servers`);
    const picture = async (name: string): Promise<void> => {
      if (pictures === undefined) return;
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    };
    await page.getByText('This server requires a sign-in.').waitFor();
    await page.getByText('needs sign-in', { exact: true }).waitFor();
    expect(await page.getByText('failed', { exact: true }).count()).toBe(0);
    expect(await violations(page, { contrast: true })).toEqual([]);
    await picture('sign-in-needed');
    await button(page, 'Sign in').click();
    const { host } = new URL(oauth.issuer);
    const dialog = page.getByRole('dialog', { name: 'Sign in to tides' });
    await dialog.getByText('Continue only if you recognize this address.').waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await picture('sign-in-dialog');
    await button(page, `Continue to ${host}`).click();

    await page.locator('input[name="login"]').fill('ada');
    await page.locator('input[name="password"]').fill('x');
    await page.locator('button[type="submit"]').click();
    const consented = page.waitForRequest((request) => request.url().includes('/oauth/callback/'));
    await page.locator('button[type="submit"]').click();
    const back = (await consented).url();
    await page.getByText(`Signed in at ${host}.`).waitFor();
    await page.getByText('mcp__tides__tide').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/w/${world}/servers`);
    await picture('signed-in');

    await page.goto(back);
    await page.getByText('This sign-in has expired or was already used.').waitFor();
    // The code doesn't stay in the address bar or the history.
    expect(page.url()).not.toContain('code=');
    expect(await violations(page)).toEqual([]);
    await picture('used-link');
    await page.getByRole('link', { name: 'Back to Countersign' }).click();
    await page.getByLabel('Message').waitFor();
    await goTo(page, `/w/${world}/servers`);
    await button(page, 'Sign out').click();
    await remarked(page, 'Signed out of tides.');
    await page.getByText('This server requires a sign-in.').waitFor();
  });

  itAtFullSize('[MCP4] without registration, the dialog asks for a client', async () => {
    const oauth = await startOAuthServers({ registers: false });
    const { world } = await opened.newChat();
    await opened.api.addMcpServer(world, { name: 'tides', transport: 'http', url: oauth.url });
    const { page } = visit;
    await page.setViewportSize({ width: 1440, height: 900 });
    await goTo(page, `/w/${world}/servers`);
    await button(page, 'Sign in').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('/oauth/callback').waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByLabel('Client ID').fill('two words');
    await button(page, 'Next').click();
    await dialog.getByText('Must not contain spaces or line breaks').waitFor();
    await dialog.getByLabel('Client ID').fill('harbour-app');
    await dialog.getByLabel('Client secret').fill('a-secret');
    await button(page, 'Next').click();
    await button(page, `Continue to ${new URL(oauth.issuer).host}`).waitFor();
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, 'client.png') });
  });
});
