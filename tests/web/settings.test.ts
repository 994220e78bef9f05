import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedSandbox } from '../support/shared-sandbox.js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { violations } from './support/violations.js';
import { button, downloaded, enabled, goTo, overflow, press, remarked } from './support/steps.js';

const sandbox = await sharedSandbox();

describe.runIf(hasBrowser)('settings, forms, exports and imports', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  let path = '';
  let chat = '';
  beforeAll(async () => {
    opened = await openBrowser();
    ({ world, path, chat } = await opened.newChat());
    visit = await opened.visit({ path });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  const go = async (page: string): Promise<Page> => {
    await goTo(visit.page, `/w/${world}/${page}`);
    await visit.page.getByRole('heading', { level: 1 }).waitFor();
    return visit.page;
  };

  it('[SCHED5] a message is scheduled, paused and deleted, and the next time is shown', async () => {
    const page = await go('schedules');
    await button(page, 'New schedule').click();
    await button(page, 'Add schedule').click();
    await page.getByText('Write a message.').waitFor();
    await page.getByLabel('Message').fill('Good morning');
    await page.getByLabel('Repeat').selectOption('weekly');
    await page.getByLabel('Day', { exact: true }).selectOption('Tuesday');
    await page.getByLabel('Time').fill('06:30');
    expect(await violations(page, { contrast: true })).toEqual([]);
    await button(page, 'Add schedule').click();
    const row = page.getByRole('listitem').filter({ hasText: 'Good morning' });
    await row.getByText(/30 6 \* \* 2 .* next /).waitFor();
    const [made] = (await opened.api.schedules(world)).items;
    expect(made).toMatchObject({ content: 'Good morning', state: 'active', cron: '30 6 * * 2' });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No schedules yet.').waitFor();
  });

  it('[HTTP2] a world is exported to a file and imported from it, and its permissions are only proposed', async () => {
    const { etag = '*' } = await opened.api.policy(world);
    await opened.api.setPolicy(world, { rules: ['allow press', 'deny flood'] }, { ifMatch: etag });
    const page = await go('settings');
    const file = await downloaded(page, 'Export');
    expect(file.name).toBe(`${world}.yaml`);
    expect(file.text).toBe(await opened.api.exportWorld(world));
    expect(file.text).toContain('allow press');

    await button(page, 'Import world…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Or paste the YAML').fill('countersign: 99\nname: Later');
    await button(page, 'Import').click();
    await dialog.getByText(/only files of version 1 are supported/).waitFor();
    const before = (await opened.api.worlds({ limit: 200 })).items.length;
    await dialog.getByLabel('File').setInputFiles({
      name: 'lab.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from(file.text.replace(/^name: .*$/m, 'name: Brought along')),
    });
    await expect.poll(() => dialog.getByLabel('Or paste the YAML').inputValue()).toContain('Brought along');
    await button(page, 'Import').click();
    await dialog.getByText('One allow rule is proposed').waitFor();
    expect((await opened.api.worlds({ limit: 200 })).items).toHaveLength(before + 1);
    await button(page, 'Review rules').click();
    await page.getByRole('button', { name: 'World: Brought along' }).waitFor();
    await page.getByText('Proposed by an import, not in effect').waitFor();
    expect((await opened.api.policy('brought-along')).value).toEqual({
      rules: ['deny flood'],
      proposed: ['allow press'],
    });
    await button(page, 'Add to rules').click();
    await button(page, 'Save rule').click();
    await remarked(page, 'Policy saved.');
    expect((await opened.api.policy('brought-along')).value.rules).toEqual(['deny flood', 'allow press']);
  });

  it('[LOG1] the audit log is exported completely as JSON Lines and as CSV', async () => {
    await opened.api.send(world, chat, { content: press('kept') });
    await expect.poll(() => opened.ran).toContain('kept');
    await expect.poll(async () => (await opened.api.chat(world, chat)).status).toBe('idle');
    const page = await go('audit');
    const lines = await downloaded(page, 'JSON lines');
    expect(lines.name).toBe(`${world}-audit.jsonl`);
    expect(lines.text).toBe(await opened.api.exportAudit(world, 'jsonl'));
    expect(lines.text.trim().split('\n').length).toBeGreaterThan(1);
    const csv = await downloaded(page, 'CSV');
    expect(csv.name).toBe(`${world}-audit.csv`);
    expect(csv.text).toBe(await opened.api.exportAudit(world, 'csv'));
  });

  it('[HTTP15] [RULE5] [PAGE1.3] a policy that someone else changed is not overwritten, an invalid rule is reported with its line, and the error goes with its cause', async () => {
    const page = await go('policy?as=text');
    const rules = page.getByLabel('Rules');
    const save = async (text: string): Promise<void> => {
      await rules.fill(text);
      await button(page, 'Save policy').click();
    };
    await rules.fill('allow press\ndeny flood\nask watch');
    const { etag = '*' } = await opened.api.policy(world);
    await opened.api.setPolicy(world, { rules: ['deny press'] }, { ifMatch: etag });
    await page.getByText('Someone else changed the policy.').waitFor();
    await button(page, 'Save policy').click();
    await page.getByText('Someone else changed this while you were editing.').first().waitFor();
    expect((await opened.api.policy(world)).value.rules).toEqual(['deny press']);
    expect(await rules.inputValue()).toContain('ask watch');
    await button(page, 'Discard changes').click();
    await expect.poll(() => rules.inputValue()).toBe('deny press');

    // [RULE5] An error has its line, and an unknown tool gets a warning.
    const errors = page.getByRole('status').getByText('a comment needs a line of its own');
    await save('# Presses\n\ndeny press # never');
    await expect.poll(() => rules.getAttribute('aria-invalid')).toBe('true');
    await page
      .getByRole('main')
      .getByText(/^Line 3, character 12: a comment needs a line of its own/)
      .waitFor();
    await errors.waitFor();
    await save('# Presses\n\ndeny prss');
    await remarked(page, 'Policy saved.');
    await page.getByText('Line 3: there is currently no tool named "prss". Did you mean "press"?').waitFor();
    expect((await opened.api.policy(world)).value.rules).toEqual(['# Presses', '', 'deny prss']);
    // [PAGE1.3] An error stays until its action succeeds or the page changes.
    await expect.poll(() => errors.count()).toBe(0);
    await rules.fill('ask press\n\ndeny prss # typo');
    await expect.poll(() => page.getByText('there is currently no tool named').count()).toBe(0);
    await button(page, 'Save policy').click();
    await errors.waitFor();
    await page.getByRole('link', { name: 'Grants' }).click();
    await page.getByRole('heading', { level: 1, name: 'Grants' }).waitFor();
    expect(await errors.count()).toBe(0);
  });

  itAtFullSize(
    '[HTTP15] world settings that someone else changed are not overwritten, and typed text stays',
    async () => {
      const page = await go('settings');
      await page.getByLabel('Description').fill('mine');
      await opened.api.updateWorld(world, { description: 'theirs' });
      await page.getByText('Someone else changed these settings.').waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe('mine');
      await button(page, 'Save').click();
      await page.getByText('Someone else changed this while you were editing.').first().waitFor();
      expect((await opened.api.world(world)).value.description).toBe('theirs');
      await button(page, 'Discard my changes').click();
      await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('theirs');
      await page.getByLabel('Description').fill('ours');
      await button(page, 'Save').click();
      await remarked(page, 'Saved.');
      await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('ours');
      expect((await opened.api.world(world)).value.description).toBe('ours');
    },
  );

  itAtFullSize('[CHANGE6.3] a world stops rehearsing commands in its settings, and starts again', async () => {
    const page = await go('settings');
    const choice = page.getByLabel('Before asking for approval');
    for (const [label, value] of [
      ['ask without a rehearsal', 'off'],
      ['rehearse commands and show what they will do', 'on'],
    ] as const) {
      await choice.selectOption({ label });
      await button(page, 'Save').click();
      await expect.poll(async () => (await opened.api.world(world)).value.rehearse).toBe(value);
      await enabled(choice);
    }
  });

  it.runIf(sandbox.kind === 'bubblewrap')(
    '[RULE10.7] a call is rehearsed for a test of the rules if the box is ticked, and changes nothing',
    async () => {
      const page = await go('policy');
      const tester = page.locator('form').filter({ has: button(page, 'Test') });
      await tester.getByLabel('Command').fill('touch made-by-a-test');
      await button(page, 'Test').click();
      await tester.getByText('It would need approval').waitFor();
      expect(await tester.getByRole('group', { name: 'What it will do' }).count()).toBe(0);
      await tester.getByLabel('Rehearse it first').check();
      await button(page, 'Test').click();
      await tester.getByText('Adds 1 file').waitFor();
      await tester.getByText('Rehearsed in a draft, which was deleted. Nothing was changed.').waitFor();
    },
  );

  itAtFullSize('[SAFE3] an admin of the whole server gives a world roots in its settings', async () => {
    const page = await go('settings');
    const folder = await mkdtemp(join(tmpdir(), 'countersign-root-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await page.getByLabel('Roots').fill(`${folder}\n/etc`);
    await button(page, 'Save').first().click();
    await expect.poll(() => page.getByLabel('Roots').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Roots').fill(` ${folder} \n`);
    await button(page, 'Save').first().click();
    await expect.poll(async () => (await opened.api.world(world)).value.roots).toEqual([folder]);
    await page.getByLabel('Roots').fill('');
    await button(page, 'Save').first().click();
    await expect.poll(async () => (await opened.api.world(world)).value.roots).toBeUndefined();
  });

  itAtFullSize(
    '[SAFE1.2] a working folder that agents must not have is refused next to its field, and no typed text is lost',
    async () => {
      const page = await go('settings');
      await page.getByRole('button', { name: /^World:/ }).click();
      await page.getByRole('menuitem', { name: 'New world…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Elsewhere');
      await dialog.getByLabel('Working folder').fill(opened.serving.home.folder);
      await button(page, 'Create world').click();
      await expect.poll(() => dialog.getByLabel('Working folder').getAttribute('aria-invalid')).toBe('true');
      expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBeNull();
      await dialog.getByText('which agents must not reach').waitFor();
      expect(await dialog.getByLabel('Name').inputValue()).toBe('Elsewhere');
      await button(page, 'Cancel').click();
      await page.getByLabel('Working folder').fill(opened.serving.home.folder);
      await button(page, 'Save').first().click();
      await expect.poll(() => page.getByLabel('Working folder').getAttribute('aria-invalid')).toBe('true');
    },
  );

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
    // No page has read this world's policy, settings or audit log yet.
    const { world } = await opened.newChat();
    await goTo(page, `/w/${world}/policy`);
    await page.getByRole('alert').getByText('‹U+202E›ti od').waitFor();
    await page.unrouteAll();
    await goTo(page, `/w/${world}/settings`);
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
    await goTo(page, `/w/${world}/audit`);
    const row = page.getByRole('row').filter({ hasText: 'x‹U+202E›y' });
    await expect.poll(() => row.getByText('Kim, from phone‹U+202E›').filter({ visible: true }).count()).toBe(1);
    await page.unrouteAll();
  });

  it('no page throws or violates the content security policy', () => {
    expect(visit.complaints).toEqual([]);
  });
});
