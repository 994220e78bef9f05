import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedSandbox } from '../support/shared-sandbox.js';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { violations } from './support/violations.js';
import { stdio } from '../mcp/support/servers.js';
import { belowView, button, call, enabled, focused, goTo, overflow, press, remarked } from './support/steps.js';

const sandbox = await sharedSandbox();
const memoryServer = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');

describe.runIf(hasBrowser)('settings, exports and imports', () => {
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
  /** A dialog taller than the window scrolls its content, and not itself too. */
  const scrollsOnce = async (page: Page, width: number): Promise<void> => {
    const before = page.viewportSize();
    await page.setViewportSize({ width, height: 500 });
    const dialog = page.getByRole('dialog');
    expect(await belowView(dialog.locator('.overflow-y-auto').first())).toBeGreaterThan(0);
    expect(await belowView(dialog)).toBe(0);
    if (before !== null) await page.setViewportSize(before);
  };
  /** The reference server of MCP, whose tools run without approval. */
  const findEverything = async (): Promise<void> => {
    if ((await opened.api.mcpServers(world)).items.some(({ name }) => name === 'everything')) return;
    await opened.api.addMcpServer(world, stdio('everything'));
    await expect
      .poll(async () => (await opened.api.testMcpServer(world, 'everything')).tools)
      .toContain('mcp__everything__trigger-elicitation-request');
    const { etag = '*' } = await opened.api.policy(world);
    await opened.api.setPolicy(world, { rules: ['allow mcp__everything__*'] }, { ifMatch: etag });
  };
  const downloaded = async (page: Page, name: string): Promise<{ name: string; text: string }> => {
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
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

  it('[CALL1] [MCP1.4] [PAGE1.5] [MCP1.6] an MCP server is added, shows its status, is restarted, trusted, disabled and removed', async () => {
    const page = await go('servers');
    await button(page, 'Add server').click();
    const dialog = page.getByRole('dialog');
    for (const width of isFullSize ? [1440, 390] : [390]) await scrollsOnce(page, width);
    await dialog.getByLabel('Name').fill('Not A Name');
    // [MCP1.4] [PAGE1.5] A shell is refused at the field; a pasted command line is split.
    const command = dialog.getByLabel('Command');
    const before = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 640 });
    await command.fill('cd /x && npx -y some-server');
    await button(page, 'Add server').last().click();
    await dialog.getByText('No shell runs this command, so && has no effect.').waitFor();
    await focused(command.and(page.locator('[aria-invalid=true]')));
    const error = await dialog.getByText('No shell runs this command').boundingBox();
    const form = await dialog.boundingBox();
    expect(error?.y).toBeGreaterThan(form?.y ?? Infinity);
    expect((error?.y ?? Infinity) + (error?.height ?? 0)).toBeLessThan((form?.y ?? 0) + (form?.height ?? 0));
    if (before !== null) await page.setViewportSize(before);
    await command.fill('npx -y "some server"');
    await page.keyboard.press('Tab');
    expect(await command.inputValue()).toBe('npx');
    expect(await dialog.getByLabel('Arguments').inputValue()).toBe('-y\nsome server');
    await dialog.getByLabel('Arguments').fill('');
    await command.fill(`"${process.execPath}" "${memoryServer}"`);
    await button(page, 'Add variable').click();
    await page.keyboard.type('SECRET');
    await page.keyboard.press('Tab');
    await page.keyboard.type('hush-hush');
    await button(page, 'Add server').last().click();
    await dialog.getByText('must be 1 to 24 lowercase letters').last().waitFor();
    await focused(dialog.getByLabel('Name'));
    await dialog.getByLabel('Name').fill('memory');
    await button(page, 'Add server').last().click();
    const card = page.getByRole('listitem').filter({ hasText: 'memory' }).last();
    await card.getByText('running').waitFor();
    await card.getByText('mcp__memory__read_graph').waitFor();
    expect(await page.content()).not.toContain('hush-hush');
    await card.getByRole('button', { name: 'Test' }).click();
    await remarked(page, 'memory is running and offers 9 tools.');
    // [MCP2] A saved value can be kept, replaced or removed, but not read. With the keyboard only.
    await card.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Value of SECRET').waitFor();
    expect(await dialog.getByLabel('Value of SECRET').inputValue()).toBe('');
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByLabel('Folders it may read').fill('somewhere');
    await button(page, 'Save').click();
    await dialog.getByText('must be an absolute path or start with ~/').last().waitFor();
    await dialog.getByLabel('Folders it may read').fill('/usr/share');
    await button(page, 'Save').click();
    await card.getByText('May read /usr/share.').waitFor();
    await card.getByText('Environment variables: SECRET.').waitFor();
    await card.getByRole('button', { name: 'Log' }).click();
    await dialog.getByText(/running on stdio/).waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await page.keyboard.press('Escape');
    // [CALL1] What an untrusted server declares about its tools is ignored.
    await go('agents');
    await button(page, 'Add agent').click();
    await scrollsOnce(page, 390);
    const row = (tool: string): Locator => dialog.locator('span:has(> label)').filter({ hasText: tool });
    await row('mcp__memory__read_graph').waitFor();
    expect(await row('read_file').getByText('read-only').count()).toBe(1);
    expect(await row('mcp__memory__read_graph').getByText('read-only').count()).toBe(0);
    // [MCP1.6] The card leads to an agent's form, where one box gives it all tools of the server.
    await opened.api.updateAgent(world, 'ada', { tools: ['grep'] });
    await go('servers');
    await card.getByText('No agent can call these tools yet.').waitFor();
    expect(await violations(page, { within: 'main' })).toEqual([]);
    await card.getByRole('link', { name: 'Edit Ada' }).click();
    await dialog.getByRole('checkbox', { name: 'All tools of the MCP server memory' }).check();
    const graph = dialog.getByRole('checkbox', { name: 'mcp__memory__read_graph' });
    expect([await graph.isChecked(), await graph.isDisabled()]).toEqual([true, true]);
    await button(page, 'Save').click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect((await opened.api.agent(world, 'ada')).value.tools).toEqual(['grep', 'mcp__memory__*']);
    await opened.api.updateAgent(world, 'ada', { tools: ['*'] });
    await go('servers');
    await card.getByText('running').waitFor();
    expect(await card.getByText('No agent can call these tools yet.').count()).toBe(0);
    await card.getByRole('button', { name: 'Restart' }).click();
    await remarked(page, 'Restarting memory.');
    await card.getByText(/running|starts when needed|starting/).waitFor();
    await card.getByRole('button', { name: 'Trust', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trust', exact: true }).click();
    await card.getByText('trusted', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Turn off' }).click();
    await card.getByText('off', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No MCP servers.').waitFor();
    expect((await opened.api.mcpServers(world)).items).toEqual([]);
  });

  it('[HTTP11] a server that can’t start says why', async () => {
    await opened.api.addMcpServer(world, { name: 'broken', transport: 'stdio', command: 'false', enabled: true });
    const page = await go('servers');
    const card = page.getByRole('listitem').filter({ hasText: 'broken' }).last();
    await card.getByText('failed').waitFor();
    // The error may get longer while the server exits; the page shows the latest.
    await expect
      .poll(async () => {
        const { error = '' } = (await opened.api.mcpServer(world, 'broken')).value;
        return error !== '' && (await card.innerText()).includes(error.slice(0, 40));
      })
      .toBe(true);
  });

  itAtFullSize(
    '[HTTP11.2] [HTTP11.3] servers from another program are imported disabled, with prompts for missing values',
    async () => {
      const page = await go('servers');
      await button(page, 'Import…').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Or paste the JSON').fill('{ "servers": 1 }');
      await button(page, 'Next').click();
      await dialog.getByText(/The file has no MCP servers/).waitFor();
      const servers = {
        notes: { command: 'npx', args: ['-y', 'notes'], env: { KEY: '${input:key}', AREA: '${input:area\u202E}' } },
        broken: { command: 'false' },
      };
      const inputs = [
        { id: 'key', description: 'API key\u202E', password: true },
        { id: 'area\u202E', description: 'Area\u202E', options: ['east\u202E', 'west'] },
      ];
      await dialog.getByLabel('File').setInputFiles({
        name: 'mcp.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify({ inputs, servers })),
      });
      await expect.poll(() => dialog.getByLabel('Or paste the JSON').inputValue()).toContain('notes');
      await button(page, 'Next').click();
      await dialog.getByText('A server with this name already exists.').waitFor();
      expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
      await button(page, 'Import').click();
      await dialog.getByText('Enter a value.').first().waitFor();
      expect(await dialog.innerText()).not.toContain('\u202E');
      await dialog.getByLabel('API key‹U+202E›').fill('hush-hush');
      await dialog.getByLabel('Area‹U+202E›').selectOption('east‹U+202E›');
      await button(page, 'Import').click();
      await page.getByRole('listitem').filter({ hasText: 'npx -y notes' }).getByText('off', { exact: true }).waitFor();
      const { value } = await opened.api.mcpServer(world, 'notes');
      expect(value).toMatchObject({ enabled: false, trusted: false, network: false, env: ['KEY', 'AREA'] });

      // Too large for the server: each argument is valid, but not all of them in one request.
      const large = { command: 'npx', args: Array.from({ length: 250 }, () => '${input:long}') };
      await button(page, 'Import…').click();
      const text = JSON.stringify({ servers: { small: { command: 'true' }, large } });
      await dialog.getByLabel('Or paste the JSON').fill(text);
      await button(page, 'Next').click();
      await dialog.getByRole('textbox', { name: 'input:long' }).fill('x'.repeat(20_000));
      await button(page, 'Import').click();
      await dialog.getByText(/Could not add large: .+\. Added before the error: small\./).waitFor();
      expect(await dialog.getByRole('checkbox', { name: 'small' }).isChecked()).toBe(false);
      await button(page, 'Cancel').click();
    },
  );

  itAtFullSize(
    '[HTTP8.7] a server’s question is a form with real controls, and its errors are at the fields',
    async () => {
      await findEverything();
      await opened.api.send(world, chat, { content: call('mcp__everything__trigger-elicitation-request', {}) });
      const { page } = visit;
      await goTo(page, path);
      await page.getByLabel('String', { exact: true }).fill('Ada');
      await page.getByLabel('Boolean').check();
      await page.getByLabel('Integer (optional)').fill('101');
      await page.getByLabel('String with email format (optional)').fill('nobody');
      await page.getByLabel('Titled Single Select Enum (optional)', { exact: true }).selectOption('Wonder Woman');
      await page.getByLabel('Piano').check();
      const answer = button(page, 'Answer');
      await enabled(answer);
      expect(await violations(page, { within: '[data-panel]' })).toEqual([]);
      await answer.click();
      await page.getByText('Must be at most 100.').waitFor();
      await page.getByText('Enter an email address.').waitFor();
      expect((await opened.api.approvals(world)).items).toHaveLength(1);
      await page.getByLabel('Integer (optional)').fill('7');
      await page.getByLabel('String with email format (optional)').fill('');
      await answer.click();
      await expect.poll(async () => (await opened.api.chat(world, chat)).status).toBe('idle');
      const told = JSON.stringify((await opened.api.messages(world, chat)).items);
      for (const words of ['Ada', 'hero-3', 'Guitar', 'Piano']) expect(told).toContain(words);
      expect(told).not.toContain('nobody');
    },
  );

  it('[TURN16.4] images of a server are shown and enlarged, and other files can be downloaded', async () => {
    const { page } = visit;
    await findEverything();
    await opened.api.send(world, chat, { content: call('mcp__everything__get-tiny-image', {}) });
    await goTo(page, path);
    const thumbnail = page.getByRole('button', {
      name: /^Enlarge: Image from mcp__everything__get-tiny-image, image.png, /,
    });
    const loaded = async (image: Locator): Promise<boolean> =>
      (await image.evaluate((each) => Number(Reflect.get(each, 'naturalWidth')))) > 0;
    await expect.poll(() => loaded(thumbnail.locator('img'))).toBe(true);
    expect(await violations(page, { within: '[role=log]' })).toEqual([]);
    await thumbnail.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Image from mcp__everything__get-tiny-image' });
    expect(await loaded(dialog.getByRole('img', { name: /image.png, \d+ kB$/ }))).toBe(true);
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    expect((await downloaded(page, 'Download')).name).toMatch(/^attachment-[0-9a-f]{12}\.png$/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await thumbnail.and(page.locator(':focus')).waitFor();

    const reference = { resourceType: 'Blob', resourceId: 1 };
    await opened.api.send(world, chat, { content: call('mcp__everything__get-resource-reference', reference) });
    const name = (await page.getByRole('button', { name: /^Download text.plain, / }).textContent()) ?? '';
    const file = await downloaded(page, name.replace('Download', 'Download '));
    expect(file.name).toMatch(/\.bin$/);
    expect(file.text).toContain('Resource 1');
  });

  it('[PAGE3] prompts and resources of a server are listed, and inserted into a message with the keyboard', async () => {
    const page = await go('servers');
    const card = page.getByRole('listitem').filter({ hasText: 'server-everything' }).last();
    await card.getByRole('button', { name: 'Prompts and resources' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('list', { name: 'Prompts' }).getByText('args-prompt').waitFor();
    await dialog.getByRole('list', { name: 'Resources' }).getByRole('listitem').first().waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await page.keyboard.press('Escape');

    await page.setViewportSize({ width: 390, height: 800 });
    await goTo(page, path);
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Look at this:');
    await button(page, 'Insert…').focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: /^args-prompt/ }).waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.keyboard.type('args-p');
    await dialog.getByRole('button', { name: /^simple-prompt/ }).waitFor({ state: 'detached' });
    // Other servers may come first, with buttons of their own while their lists are read.
    await dialog.getByRole('button', { name: /^args-prompt/ }).press('Enter');
    await dialog.getByLabel('city', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a value.').waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByLabel('city', { exact: true }).focus();
    await page.keyboard.type('Bern');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await message.and(page.locator(':focus')).waitFor();
    expect(await message.inputValue()).toMatch(/^Look at this:\n\n.*Bern/s);

    await message.fill('');
    await button(page, 'Insert…').click();
    await dialog.getByRole('list', { name: 'Resources' }).getByRole('button').first().click();
    await dialog.waitFor({ state: 'detached' });
    expect(await message.inputValue()).toMatch(/^`\S+`\n```+\n[^]+\n```+\n$/);
    await message.fill('');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  itAtFullSize('[MCP1.2] a server that needs the network says so, with a button that allows it', async () => {
    const { name } = await opened.api.addMcpServer(world, {
      name: 'runner',
      transport: 'stdio',
      command: '/nowhere/npx',
      args: ['-y', 'some-server'],
      // Not the registry that npm is configured with on this machine.
      env: { npm_config_registry: 'https://registry.npmjs.org/' },
    });
    const page = await go('servers');
    const card = page.getByRole('listitem').filter({ hasText: name }).last();
    await card.getByText(/npx needs the network to download packages/).waitFor();
    const dialog = page.getByRole('dialog');
    const network = async () => (await opened.api.mcpServer(world, name)).value.network;
    await card.getByRole('button', { name: "Allow npm's registry" }).click();
    await dialog
      .getByText(/reach registry.npmjs.org from its sandbox\. .* also send data.* private addresses need a rule/)
      .waitFor();
    expect(await network()).toBe(false);
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByRole('button', { name: "Allow npm's registry" }).click();
    await card.getByText('network: registry.npmjs.org').waitFor();
    await card.getByText(/npx needs the network/).waitFor({ state: 'detached' });
    expect(await network()).toEqual({ hosts: ['registry.npmjs.org'] });
    // [PAGE1.4] The button that opened the dialog is gone.
    await focused(card.getByText(name, { exact: true }));

    await card.getByRole('button', { name: 'Edit' }).click();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByLabel('Hosts it may reach').fill('https://npm.example/x');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/^Must be a host name such as registry.npmjs.org/).waitFor();
    await dialog.getByLabel('Network access').selectOption('none');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await network()).toBe(false);

    await card.getByRole('button', { name: 'Allow network' }).click();
    await dialog.getByText(/will be able to reach public hosts from its sandbox/).waitFor();
    await dialog.getByRole('button', { name: 'Allow network' }).click();
    await card.getByText('network', { exact: true }).waitFor();
    expect(await network()).toBe(true);
  });

  it('no page throws or violates the content security policy', () => {
    expect(visit.complaints).toEqual([]);
  });
});
