import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { startOAuthServers } from '../mcp/support/oauth-servers.js';
import { stdio } from '../mcp/support/servers.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { belowView, button, call, downloaded, enabled, focused, goTo, overflow, remarked } from './support/steps.js';
import { violations } from './support/violations.js';

const pictures = process.env['COUNTERSIGN_PICTURES'];
const memoryServer = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');

describe.runIf(hasBrowser)('MCP servers', () => {
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

  it('[CALL1.6] tool definitions are accepted only as they were shown', async () => {
    const { world, chat } = await opened.newChat();
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
    const { page } = visit;
    await goTo(page, `/w/${world}/servers`);
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

  it('[MCP4] [MCP4.1] a person signs in on a phone, sees where, and signs out; a used link signs nobody in', async () => {
    const oauth = await startOAuthServers();
    const { world } = await opened.newChat();
    await opened.api.addMcpServer(world, { name: 'tides', transport: 'http', url: oauth.url });
    const { page } = visit;
    onTestFinished(() => page.setViewportSize({ width: 1440, height: 900 }));
    await page.setViewportSize({ width: 390, height: 800 });
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

  it('no page throws or violates the content security policy', () => {
    expect(visit.complaints).toEqual([]);
  });
});
