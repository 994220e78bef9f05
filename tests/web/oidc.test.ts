import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT, startOidcAccounts, type OidcAccounts } from '../support/oidc-accounts.js';
import { hasBrowser, launch, openBrowser, type Opened, picturesOf } from './support/open-browser.js';
import { button } from './support/steps.js';
import { violations } from './support/violations.js';

const pictures = process.env['COUNTERSIGN_PICTURES'];

describe.runIf(hasBrowser)('sign-in with OIDC', () => {
  let opened: Opened;
  let idp: OidcAccounts;
  beforeAll(async () => {
    idp = await startOidcAccounts();
    const env = {
      COUNTERSIGN_OIDC_ISSUER: idp.issuer,
      COUNTERSIGN_OIDC_CLIENT_ID: CLIENT.id,
      COUNTERSIGN_OIDC_CLIENT_SECRET: CLIENT.secret,
      COUNTERSIGN_OIDC_NAME: 'Acme',
      COUNTERSIGN_OIDC_ROLES: 'staff=member',
    };
    opened = await openBrowser({ env });
    idp.register(`${opened.serving.url}/oidc/callback`);
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(async () => {
    await opened.close();
    await idp.stop();
  });

  it('[WHO8] [WHO8.1] [WHO8.3] a person signs in, returns to their page, and an answer works in no other browser', async () => {
    idp.accounts.set('ada', { name: 'Ada Lovelace', groups: ['staff'] });
    idp.accounts.set('eve', { name: 'Eve', groups: [] });
    const { path } = await opened.newChat();
    const context = await (await launch()).newContext();
    const page = await context.newPage();
    const picture = async (name: string): Promise<void> => {
      if (pictures === undefined) return;
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    };
    const enter = async (login: string): Promise<string> => {
      await button(page, 'Sign in with Acme').click();
      await page.locator('input[name="login"]').fill(login);
      await page.locator('input[name="password"]').fill('x');
      await page.locator('button[type="submit"]').click();
      const returned = page.waitForRequest((request) => request.url().includes('/oidc/callback?'));
      await page.locator('button[type="submit"]').click();
      return (await returned).url();
    };
    await page.goto(opened.serving.url + path);
    await button(page, 'Sign in with Acme').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture('oidc-sign-in');

    await enter('eve');
    await page.getByText('None of your groups at Acme has a role on this server').waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    await picture('oidc-no-role');

    await context.clearCookies();
    const back = await enter('ada');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(page.url()).toBe(opened.serving.url + path);
    expect((await opened.api.people()).items.map(({ name, role }) => [name, role])).toContainEqual([
      'Ada Lovelace',
      'member',
    ]);

    // Someone else's browser, as in login CSRF.
    const victim = await (await launch()).newContext();
    const other = await victim.newPage();
    await other.goto(back);
    await other.getByText('This sign-in was started in another tab or browser').waitFor();
    expect(other.url()).not.toContain('code=');
    await page.goto(back);
    await page.getByRole('textbox', { name: 'Message' }).or(page.getByText('No worlds yet')).first().waitFor();
    expect(page.url()).not.toContain('code=');

    await victim.close();
    await context.close();
  });
});
