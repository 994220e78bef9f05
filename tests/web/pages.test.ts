import { userInfo } from 'node:os';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import {
  button,
  choose,
  decide,
  drawn,
  focused,
  goTo,
  overflow,
  press,
  ready,
  row,
  remarked,
  said,
  toolCard,
  unfold,
} from './support/steps.js';
import { violations } from './support/violations.js';

/**
 * Pages with most colours: cards, code, badges and tables. `npm test` checks these here, and others in the tests of their features, such as policy and
 * statistics; `npm run verify` checks all pages, each in both themes.
 */
const COLOURED = ['chat', '/w/:world/audit'];
const DARK = ['chat'];

describe.runIf(hasBrowser)('every page', () => {
  let opened: Opened;
  let light: Visit;
  let world = '';
  let chat = '';
  let path = '';
  beforeAll(async () => {
    opened = await openBrowser();
    ({ world, chat, path } = await opened.newChat());
    light = await opened.visit({ path, clock: true });
    // Data in every state, so that the pages have something to show.
    const { page } = light;
    const { api } = opened;
    await api.send(world, chat, { content: press('page-a') });
    await ready(page, 'More choices');
    await choose(page, 'Approve for this chat');
    await decide(page, 'Approve for this chat');
    await said(page, 'Finished. done').waitFor();
    const content =
      'say Some **Markdown** with `code`:\n\n```ts\nconst answer: number = 42;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n[a link](https://example.com)';
    await api.send(world, chat, { content });
    await page.locator('.hljs-number').first().waitFor();
    await api.addMcpServer(world, { name: 'nothing', transport: 'stdio', command: 'true', enabled: false });
    const calls = [
      'shell_cmd {"command":"rm -rf \\"$HOME\\"/x | tee log # clean"}',
      'write_file {"path":"a.md","content":"one\\ntwo\\n"}',
    ];
    await api.send(world, chat, { content: calls.map((each) => `call ${each}`).join('\n') });
    await page.getByRole('list', { name: 'Also waiting' }).waitFor();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  const pages = ['policy', 'grants', 'agents', 'servers', 'schedules', 'settings', 'audit', 'stats', 'search'].map(
    (name) => `/w/:world/${name}`,
  );
  /** Opens the page, and waits until everything is loaded. */
  const go = async (page: Page, name: string): Promise<void> => {
    await goTo(page, name === 'chat' ? path : name.replace(':world', world));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await lastToCome(page, name).waitFor({ state: 'attached' });
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
  };

  it.each(isFullSize ? ['chat', '/w/:world', '/inbox', '/providers', ...pages, '/nowhere'] : COLOURED)(
    '%s has no accessibility violations, in light or dark mode, and doesn’t overflow on a phone',
    async (name) => {
      const { page } = light;
      await go(page, name);
      expect(await violations(page, { contrast: true })).toEqual([]);
      expect(isFullSize || DARK.includes(name) ? await violationsInTheDark(page) : []).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await drawn(page);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );

  itAtFullSize('the dialogs and menus have no accessibility violations either', async () => {
    const { page } = light;
    const check = async (role: 'dialog' | 'menu', opens: () => Promise<void>): Promise<void> => {
      await opens();
      await page.getByRole(role).waitFor();
      await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
      // The page behind it was checked separately.
      expect(await violations(page, { within: 'dialog[open], [role=menu]', contrast: true })).toEqual([]);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').or(page.getByRole('menu')).count()).toBe(0);
    };
    const fromMenu = async (name: string): Promise<void> => {
      await button(page, 'Chat menu').click();
      await page.getByRole('menuitem', { name }).click();
    };
    await goTo(page, path);
    await check('menu', () => button(page, 'Chat menu').click());
    await check('dialog', () => fromMenu('Timeline'));
    await check('dialog', async () => {
      await page.getByRole('button', { name: /^World:/ }).click();
      await page.getByRole('menuitem', { name: 'New world…' }).click();
    });
    await goTo(page, `/w/${world}/agents`);
    await check('dialog', () => button(page, 'Remove').first().click());
    await check('dialog', () => button(page, 'Add agent').click());
    await check('dialog', () => button(page, 'Edit').first().click());
    await goTo(page, path);
    await check('dialog', () => fromMenu('Rename'));
    await check('dialog', () => fromMenu('Delete'));
    await goTo(page, `/w/${world}/servers`);
    await check('dialog', () => button(page, 'Add server').click());
    await goTo(page, `/w/${world}/settings`);
    await check('dialog', () => button(page, 'Delete world…').click());
  });

  itAtFullSize('the forms of a card have no accessibility violations', async () => {
    const { page } = light;
    await goTo(page, path);
    await choose(page, 'Edit');
    expect(await violations(page, { within: '[data-panel]', contrast: true })).toEqual([]);
    await button(page, 'Back').click();
    await page.getByRole('list', { name: 'Also waiting' }).getByRole('button').click();
    await page.getByRole('group', { name: 'Changes' }).first().waitFor();
    await unfold(toolCard(page, 'page-a'));
    await choose(page, 'Always…');
    expect(await violations(page, { within: '[data-panel], [data-invocation]', contrast: true })).toEqual([]);
  });

  it.each([[360, 740], ...(isFullSize ? [[768, 1024] as const, [3840, 2160] as const] : [])] as const)(
    'at %d by %d waiting calls can be approved, and nothing overflows',
    async (width, height) => {
      const { page } = light;
      onTestFinished(() => page.setViewportSize({ width: 1440, height: 900 }));
      await page.setViewportSize({ width, height });
      await drawn(page);
      // Overflow is most likely at the narrowest width, at which every page was tried above.
      const tried = isFullSize ? ['/w/:world', '/inbox', ...pages] : [];
      for (const name of [...tried, 'chat']) {
        await go(page, name);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
      }
      if (width < 1120) await page.getByRole('button', { name: /waiting for you/ }).click();
      await ready(page, 'Approve once');
      expect(width === 360 ? await violations(page, { within: 'dialog[open]', contrast: true }) : []).toEqual([]);
      if (width < 1120) await page.keyboard.press('Escape');
    },
  );

  itAtFullSize('nothing moves on a device set to reduced motion', async () => {
    const { page } = light;
    await go(page, 'chat');
    await page.evaluate(`
      globalThis.moves = [];
      for (const type of ['transitionrun', 'animationstart']) addEventListener(type, () => moves.push(type), true);
    `);
    await recolour(page, 'dark');
    await recolour(page, 'light');
    await unfold(toolCard(page, 'page-a'));
    await button(page, 'Chat menu').click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await page.keyboard.press('Escape');
    await drawn(page);
    expect(await page.evaluate<string[]>('moves')).toEqual([]);
  });

  itAtFullSize('[RULE1] the policy page shows what would happen, before and after a rule is added', async () => {
    const { page } = light;
    await goTo(page, `/w/${world}/policy?as=text`);
    await page.getByLabel('Command').fill('git status');
    await button(page, 'Test').click();
    await page.getByText('It would need approval').waitFor();
    await page.getByLabel('Rules').fill('allow shell_cmd(git status)');
    await button(page, 'Test').click();
    await page.getByText('It would run without approval').waitFor();
    await page.getByLabel('Rules').fill('allow shell_cmd(git status)\ndeny shell_cmd(command=*push*)');
    await button(page, 'Test').click();
    await page.getByText('command is git status').waitFor();
    await page.getByLabel('Rules').fill('allow shell_cmd(git status)');
    await button(page, 'Save policy').click();
    await remarked(page, 'Policy saved.');
    expect((await opened.api.policy(world)).value.rules).toEqual(['allow shell_cmd(git status)']);
    const commented = ['# What may run', '', 'allow shell_cmd(git status)'];
    await page.getByLabel('Rules').fill(`${commented.join('\n')}\n`);
    await button(page, 'Save policy').click();
    await expect.poll(async () => (await opened.api.policy(world)).value.rules).toEqual(commented);
    await expect.poll(async () => await page.getByLabel('Rules').inputValue()).toBe(commented.join('\n'));
    await page.getByLabel('Rules').fill('allow shell_cmd(');
    await button(page, 'Save policy').click();
    await page
      .getByText(/line 1/)
      .first()
      .waitFor();
    expect((await opened.api.policy(world)).value.rules).toEqual(commented);
  });

  it('[LOG1] [LOG1.7] the audit page verifies the chain, filters and leads to calls', async () => {
    const { page } = light;
    await goTo(page, `/w/${world}/audit`);
    // As if the head file had been missing for a while.
    await page.route('**/audit/verify', (route) => route.fulfill({ json: { ok: true, records: 9, unguarded: 2 } }));
    await button(page, 'Verify chain').click();
    await page.getByText(/\d+ records, chain intact/).waitFor();
    await page.getByText("This doesn't rule out that someone rewrote the whole log.").waitFor();
    await page.getByText("doesn't cover the first 2 records").waitFor();
    await page.unroute('**/audit/verify');
    const asked = page.getByRole('row').filter({ hasText: 'requested' });
    const signed = page.getByRole('row').filter({ hasText: 'approved for this chat' });
    await asked.first().waitFor();
    await signed.waitFor();
    await page.getByLabel('Kind').selectOption('decision');
    await expect.poll(() => asked.count()).toBe(0);
    await signed.waitFor();
    const me = userInfo().username;
    await page.getByLabel('Kind').selectOption('');
    await page.getByLabel('Who').selectOption({ label: me });
    await expect.poll(() => asked.count()).toBe(0);
    await signed.getByRole('cell', { name: `${me}, from Chrome on Linux`, exact: true }).waitFor();
    // A record leads to its call, and a phone shows all of it without scrolling sideways.
    await page.setViewportSize({ width: 390, height: 844 });
    const listed = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
    await listed.filter({ hasText: 'approved for this chat' }).getByText(`${me}, from Chrome on Linux`).waitFor();
    expect(await overflow(page)).toBe(0);
    await listed.filter({ hasText: 'approved for this chat' }).getByRole('link').click();
    await page.locator('[data-invocation]').first().waitFor();
    expect(new URL(page.url()).search).toMatch(/^\?call=/);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  itAtFullSize('agents are added and changed, and a world is changed', async () => {
    const { page } = light;
    await goTo(page, `/w/${world}/agents`);
    await button(page, 'Add agent').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('human');
    await dialog.getByLabel('Model').fill('test');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    // Next to the field, and in a toast.
    await dialog.getByText('this name is reserved').last().waitFor();
    await dialog.getByLabel('Name').fill('Bea');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Bea' }).first().waitFor();
    await focused(button(page, 'Add agent'));
    await page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: 'Bea' })
      .getByRole('button', { name: 'Edit' })
      .click();
    await dialog.getByLabel('System prompt').fill('Be brief.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await focused(
      page.getByRole('main').getByRole('listitem').filter({ hasText: 'Bea' }).getByRole('button', { name: 'Edit' }),
    );
    expect((await opened.api.agents(world)).items.map(({ name }) => name)).toEqual(['Ada', 'Bea']);

    await goTo(page, `/w/${world}/settings`);
    await page.getByLabel('Turn limit').fill('7');
    await page.getByLabel('Main agent').selectOption({ label: 'Ada' });
    await button(page, 'Save').click();
    await remarked(page, 'Saved.');
    expect((await opened.api.world(world)).value).toMatchObject({ turnLimit: 7, mainAgent: 'ada' });
  });

  itAtFullSize('a page that could not be loaded says why, and retrying loads it', async () => {
    const { page } = light;
    const refused = { type: 'about:blank', title: 'No', status: 403, detail: 'Not now.' };
    // A page that was shown before keeps its data. Here there was none.
    await page.goto(`${opened.serving.url}/inbox`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate("addEventListener('click', () => { globalThis.hasClicked = true; }, { capture: true })");
    const parts = [
      ['/w/:world/policy', 'policy'],
      ['chat', 'messages'],
      ['/providers', 'providers'],
      ['/w/:world/grants', 'grants'],
      ['/w/:world/servers', 'mcp-servers'],
      ['/w/:world/audit', 'audit'],
      ['/w/:world/stats', 'stats'],
    ] as const;
    for (const [name, part] of parts) {
      // Until someone clicks: the page may retry automatically before that.
      await page.route(new RegExp(`/api/[^?]*/?${part}(\\?|$)`), async (route) =>
        (await page.evaluate<boolean>('globalThis.hasClicked === true'))
          ? await route.fallback()
          : await route.fulfill({
              status: 403,
              contentType: 'application/problem+json',
              body: JSON.stringify(refused),
            }),
      );
      await page.evaluate('globalThis.hasClicked = false');
      await goTo(page, name === 'chat' ? path : name.replace(':world', world));
      const alert = page.getByRole('main').getByRole('alert');
      await alert.getByText('Not now.').waitFor();
      await alert.getByRole('button', { name: 'Try again' }).click();
      await lastToCome(page, name).waitFor({ state: 'attached' });
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      expect(await alert.count()).toBe(0);
    }
  });

  itAtFullSize('search finds messages, and says if there are none', async () => {
    const { page } = light;
    await goTo(page, `/w/${world}/search`);
    await page.getByLabel('Words in this world').fill('Markdown');
    const hits = page.getByRole('main').getByRole('link').filter({ hasText: 'Markdown' });
    await expect.poll(() => hits.count()).toBeGreaterThan(0);
    await page.getByLabel('Words in this world').fill('nobodysaidthis');
    await page.getByText('No messages found.').waitFor();
    expect(await hits.count()).toBe(0);
  });

  describe('a world that can’t be shown', () => {
    const refuse = (status: number, detail: string) => ({
      status,
      json: { type: 'about:blank', title: 'No', status, detail },
    });

    it('[HTTP1] a missing world is reported, and another is offered', async () => {
      const { page } = light;
      await goTo(page, '/w/nope/policy');
      await page.getByText('There is no world “nope”.').waitFor();
      await page.getByRole('link', { name: 'Lab 1' }).click();
      await page.getByRole('button', { name: 'World: Lab 1' }).waitFor();
      await expect.poll(() => page.getByText('There is no world').count()).toBe(0);
    });

    it('[HTTP13] a world that someone deletes disappears from the page too', async () => {
      const { page } = light;
      const { id } = await opened.api.createWorld({ name: 'Short lived' });
      await goTo(page, `/w/${id}/policy?as=text`);
      await page.getByLabel('Rules').waitFor();
      await opened.api.deleteWorld(id);
      await page.getByText('The world “Short lived” was deleted.').waitFor();
      await page.getByRole('link', { name: 'Lab 1' }).click();
      await page.getByRole('button', { name: 'World: Lab 1' }).click();
      await page.getByRole('menuitem', { name: 'New world…' }).waitFor();
      // The list is reloaded when the world is gone; the response may not have arrived yet.
      await expect.poll(() => page.getByRole('menuitem', { name: 'Short lived' }).count()).toBe(0);
      await page.keyboard.press('Escape');
    });

    it('an invalid chat URL does not break the page', async () => {
      const { page } = light;
      await goTo(page, `/w/${world}/c/%25E0`);
      await page.getByText('This page does not exist.').waitFor();
      await page.getByRole('button', { name: 'World: Lab 1' }).waitFor();
      expect(await page.getByText("This page can't be shown").count()).toBe(0);
    });

    itAtFullSize('a world that failed to load is retried when someone opens it', async () => {
      const { page } = light;
      const { world: other } = await opened.newChat();
      const one = `**/api/worlds/${other}`;
      await page.route(one, (route) => route.fulfill(refuse(403, 'Not from here.')));
      await goTo(page, `/w/${other}`);
      await page.getByText('Not from here.').waitFor();
      await page.unroute(one);
      await button(page, 'Try now').click();
      await page.getByRole('button', { name: 'World: Lab 2' }).waitFor();
      await expect.poll(() => page.getByText('Not from here.').count()).toBe(0);
    });

    it('[WHO1] an ended session leads to the sign-in page immediately, whatever its message', async () => {
      const { page } = light;
      const { world: other } = await opened.newChat();
      await page.route(`**/api/worlds/${other}`, (route) => route.fulfill(refuse(401, 'Open a new start link.')));
      await goTo(page, `/w/${other}`);
      await page.getByText('This session has ended.').waitFor();
      expect(await page.getByRole('button', { name: /^World:/ }).count()).toBe(0);
    });
  });

  it('no page throws or violates the content security policy', () => {
    expect(light.complaints).toEqual([]);
  });
});

/** An element of each page that appears when everything is loaded. */
function lastToCome(page: Page, name: string): Locator {
  const main = page.getByRole('main');
  switch (name.replace('/w/:world/', '')) {
    case 'chat':
      return toolCard(page, 'tee log');
    case '/inbox':
      return row(page, 'tee log');
    case '/providers':
      return main.getByRole('listitem').first();
    case 'policy':
      return main.locator('option[value=press]');
    case 'grants':
      return button(page, 'Revoke');
    case 'servers':
      return main.getByText('nothing', { exact: true });
    case 'schedules':
      return main.getByText('No schedules yet.');
    case 'settings':
      return main.getByLabel('Main agent').locator('option[value=ada]');
    case 'audit':
      return main.getByRole('row').or(main.getByRole('listitem')).filter({ hasText: 'requested' }).first();
    case 'stats':
      return main.getByRole('heading', { name: 'Tokens by agent' });
    case 'search':
      return main.getByLabel('Words in this world');
    case '/nowhere':
      return main.getByText('This page does not exist.');
    default:
      return main.getByText('Ada').first();
  }
}

/** Dark mode changes only the colours. */
async function violationsInTheDark(page: Page): Promise<string[]> {
  await recolour(page, 'dark');
  const found = await violations(page, { rules: ['color-contrast'], contrast: true });
  await recolour(page, 'light');
  return found;
}

async function recolour(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await drawn(page);
}
