import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { stdio } from '../mcp/support/servers.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, call, goTo, press, remarked } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('forms save exactly what was entered', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  let chat = '';
  beforeAll(async () => {
    opened = await openBrowser();
    ({ world, chat } = await opened.newChat());
    visit = await opened.visit();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  const go = async (page: string): Promise<Page> => {
    await goTo(visit.page, `/w/${world}/${page}`);
    await visit.page.getByRole('heading', { level: 1 }).waitFor();
    return visit.page;
  };

  itAtFullSize('[HTTP15] a policy can be saved repeatedly, and then shows changes by others', async () => {
    const page = await go('policy?as=text');
    for (const rule of ['ask press', 'deny press']) {
      await page.getByLabel('Rules').fill(rule);
      await button(page, 'Save policy').click();
      await expect.poll(async () => (await opened.api.policy(world)).value.rules).toEqual([rule]);
      // The form has no unsaved changes after the save.
      await expect.poll(() => button(page, 'Discard changes').isDisabled()).toBe(true);
    }
    await remarked(page, 'Policy saved.');
    expect(await page.getByText('Someone else changed the policy').count()).toBe(0);
    // Indentation is dropped, and a comment is kept.
    const rules = ['allow press', 'deny flood', '# a note'];
    await page.getByLabel('Rules').fill('allow press\n  deny flood\n# a note');
    await button(page, 'Save policy').click();
    await expect.poll(async () => (await opened.api.policy(world)).value.rules).toEqual(rules);
    const { etag = '' } = await opened.api.policy(world);
    await opened.api.setPolicy(world, { rules: ['deny flood'] }, { ifMatch: etag });
    await expect.poll(() => page.getByLabel('Rules').inputValue()).toBe('deny flood');
  });

  it('[HTTP1] an invalid number is refused next to its field, and nothing changes', async () => {
    await opened.api.updateWorld(world, { approvalTimeoutMs: 60_000 });
    const before = (await opened.api.world(world)).value;
    const page = await go('settings');
    await page.getByLabel('Approvals expire after').fill('30s');
    await button(page, 'Save').click();
    await page.getByText('Enter a number of seconds, such as 30 or 0.5.').first().waitFor();
    await page.getByLabel('Approvals expire after').fill('60');
    await page.getByLabel('Turn limit').fill('seven');
    await button(page, 'Save').click();
    await page.getByText('Enter a whole number, such as 10.').first().waitFor();
    expect(await page.evaluate<string[]>('remarks')).not.toContain('Saved.');
    expect((await opened.api.world(world)).value).toMatchObject({
      approvalTimeoutMs: 60_000,
      turnLimit: before.turnLimit,
    });
    await page.getByLabel('Turn limit').fill('9');
    await page.getByLabel('Approvals expire after').fill('');
    await button(page, 'Save').click();
    await remarked(page, 'Saved.');
    const { approvalTimeoutMs, turnLimit } = (await opened.api.world(world)).value;
    expect([approvalTimeoutMs, turnLimit]).toEqual([undefined, 9]);
  });

  itAtFullSize(
    '[HTTP1] [MODEL10] a temperature is removed when its field is emptied, and a comma is not a decimal point',
    async () => {
      await opened.api.updateAgent(world, 'ada', { temperature: 0.5 });
      const page = await go('agents?agent=ada');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Temperature').fill('0,7');
      await button(page, 'Save').click();
      await dialog.locator('p').getByText('Enter a number from 0 to 2, such as 0.7.').waitFor();
      expect((await opened.api.agent(world, 'ada')).value.temperature).toBe(0.5);
      await dialog.getByLabel('Temperature').fill('');
      await dialog.getByLabel('Thinking', { exact: true }).selectOption('Token budget…');
      await button(page, 'Save').click();
      await dialog.locator('p').getByText('Enter a whole number of tokens, such as 4096.').waitFor();
      await dialog.getByLabel('Thinking budget').fill('5000');
      await dialog.getByLabel('Top-p').fill('7');
      await button(page, 'Save').click();
      await dialog.locator('p').getByText('must be at most 1').waitFor();
      expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
      await dialog.getByLabel('Top-p').fill('0.9');
      await dialog.getByLabel('Context size').fill('32000');
      await dialog.getByLabel('Parallel tool calls').selectOption('Off: one call per answer');
      await button(page, 'Save').click();
      await remarked(page, 'Saved.');
      const { value } = await opened.api.agent(world, 'ada');
      expect(value).toMatchObject({ thinking: 5000, topP: 0.9, contextTokens: 32_000, parallelToolCalls: false });
      expect(value.temperature).toBeUndefined();
    },
  );

  itAtFullSize('[HTTP15] an agent that someone else changed in the meantime is not overwritten', async () => {
    const page = await go('agents?agent=ada');
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel('Model').inputValue()).toBe('test');
    await dialog.getByLabel('Model').fill('mine');
    await opened.api.updateAgent(world, 'ada', { systemPrompt: 'Theirs.' });
    await button(page, 'Save').click();
    await page.getByText('Someone else changed this while you were editing.').first().waitFor();
    expect((await opened.api.agent(world, 'ada')).value).toMatchObject({ model: 'test', systemPrompt: 'Theirs.' });
    expect(await dialog.getByLabel('Model').inputValue()).toBe('mine');
    await button(page, 'Cancel').click();
    await dialog.waitFor({ state: 'detached' });
  });

  itAtFullSize('[HTTP15] an agent that could not be loaded can’t be saved', async () => {
    const { page } = visit;
    const one = `**/api/worlds/${world}/agents/ada`;
    const problem = { type: 'about:blank', title: 'Full', status: 507, detail: 'The disk is full.' };
    await page.route(one, (route) => route.fulfill({ status: 507, json: problem }));
    await go('agents?agent=ada');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The disk is full.').waitFor();
    expect(await button(page, 'Save').count()).toBe(0);
    await page.unroute(one);
    await page.keyboard.press('Escape');
  });

  itAtFullSize(
    '[HTTP2] [CALL12] lists are complete, however small the server’s pages are, and the queue says that more are waiting',
    async () => {
      const { page } = visit;
      const far = await opened.newChat();
      await opened.api.send(far.world, far.chat, { content: [press('far-a'), press('far-b')].join('\n') });
      await expect.poll(async () => (await opened.api.approvals(far.world)).items.length).toBe(2);
      for (const name of ['one', 'two'])
        await opened.api.addMcpServer(far.world, { name, transport: 'stdio', command: 'true', enabled: false });
      const lists = /\/api\/worlds(?:\/[^/]+\/(?:approvals|tools|mcp-servers|grants))?(?:\?.*)?$/;
      await page.route(lists, async (route) => {
        const url = new URL(route.request().url());
        url.searchParams.set('limit', '1');
        await route.continue(route.request().method() === 'GET' ? { url: url.href } : {});
      });
      // Lists that were read before are forgotten.
      await page.goto(`${opened.serving.url}/inbox`);
      await expect.poll(() => page.title()).toBe('(1+) Countersign');
      await goTo(page, `/w/${far.world}/servers`);
      for (const name of ['one', 'two']) await page.getByRole('main').getByText(name, { exact: true }).waitFor();
      const names = (await opened.api.tools(far.world, { limit: 200 })).items.map(({ name }) => name);
      await goTo(page, `/w/${far.world}/policy`);
      await expect
        .poll(async () => (await page.getByLabel('Tool').locator('option').allInnerTexts()).toSorted())
        .toEqual(names.toSorted());
      await page.unroute(lists);
      await opened.api.stop(far.world, far.chat);
    },
  );

  it('[SAFE6] untrusted text is shown literally in lists, errors and toasts', async () => {
    const { page } = visit;
    const turned = { type: 'about:blank', title: 'No', status: 409, detail: 'no \u202Eti od t’nod' };
    const refuse = (address: RegExp) => page.route(address, (route) => route.fulfill({ status: 409, json: turned }));
    await refuse(/\/api\/.*\/policy$/);
    // No page has read the policy of this world yet.
    await goTo(page, `/w/${(await opened.newChat()).world}/policy`);
    await page.getByRole('alert').getByText('‹U+202E›ti od').waitFor();
    await page.unrouteAll();
    await go('settings');
    await refuse(/\/api\/.*\/export$/);
    await button(page, 'Export').click();
    await page.getByRole('status').getByText('‹U+202E›ti od').waitFor();
    const asked = {
      seq: 1,
      at: new Date(0).toISOString(),
      kind: 'refusal',
      worldId: world,
      hash: '',
      previousHash: '',
    };
    const who = { kind: 'person', id: 'kim', name: 'Kim' };
    const items = [{ ...asked, tool: 'x\u202Ey', who, via: 'phone\u202E' }];
    await page.route(/\/api\/.*\/audit\?/, (route) => route.fulfill({ json: { items } }));
    await go('audit');
    const row = page.getByRole('row').filter({ hasText: 'x‹U+202E›y' });
    await expect.poll(() => row.getByText('Kim, from phone‹U+202E›').filter({ visible: true }).count()).toBe(1);
    await page.unrouteAll();
  });

  it('[CALL1.6] tool definitions are accepted only as they were shown', async () => {
    await opened.api.addMcpServer(world, stdio('hostile'));
    const { etag = '' } = await opened.api.policy(world);
    await opened.api.setPolicy(world, { rules: ['allow mcp__hostile__*'] }, { ifMatch: etag });
    const told = async (tool: string): Promise<void> => {
      await opened.api.send(world, chat, { content: call(`mcp__hostile__${tool}`, {}) });
    };
    const changed = async (): Promise<number> => (await opened.api.mcpServers(world)).items[0]?.changed.length ?? 0;
    await expect.poll(async () => (await opened.api.mcpServers(world)).items[0]?.status).toBe('running');
    await told('turn');
    await expect.poll(changed).toBe(1);
    const page = await go('servers');
    const dialog = page.getByRole('dialog');
    await button(page, 'Review changes…').click();
    await dialog.getByText(/argument "secret" was added/).waitFor();
    // The definitions change again while someone reads.
    await told('grow');
    await expect.poll(async () => (await opened.api.mcpServers(world)).items[0]?.tools).toContain('mcp__hostile__late');
    await expect
      .poll(async () => (await opened.api.tools(world, { limit: 200 })).items.map(({ name }) => name))
      .toContain('mcp__hostile__late');
    await button(page, 'Accept').click();
    await dialog.getByText('The tool definitions changed while you were reviewing').waitFor();
    // The new tool needs acceptance too.
    expect(await changed()).toBe(2);
    await button(page, 'Accept').click();
    await expect.poll(changed).toBe(0);
  });

  it('no page throws or violates the content security policy', () => {
    expect(visit.complaints).toEqual([]);
  });
});
