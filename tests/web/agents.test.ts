import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedSandbox } from '../support/shared-sandbox.js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { gateLocally, listLocalAgents, type LocalPlaces } from '../../packages/terminal/src/gate/local-agents.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, decide, enabled, goTo, overflow, remarked } from './support/steps.js';
import { violations } from './support/violations.js';

/** An agent that asks for the calls that its prompt names. */
const program = fileURLToPath(new URL('../../packages/countersign/dist/testing/bundle/acp-agent.js', import.meta.url));

const sandbox = await sharedSandbox();

describe.runIf(hasBrowser)('an agent that is another program', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  let chat = '';
  /** A computer with agents that can be gated. */
  let root = '';
  const at = (name: string): string => join(root, name);
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'countersign-computer-')));
    const url = async (): Promise<string> => opened.serving.url;
    const places: LocalPlaces = { env: { PATH: at('bin') }, userHome: at('user'), home: at('home'), url };
    opened = await openBrowser({
      localAgents: {
        list: async () => await listLocalAgents(places),
        gate: async (agent, gate) => await gateLocally(agent, gate, places),
      },
    });
    ({ world, chat } = await opened.newChat());
    visit = await opened.visit({ clock: true });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(async () => {
    await opened.close();
    await rm(root, { recursive: true, force: true });
  });

  const go = async (path: string): Promise<Page> => {
    await goTo(visit.page, `/w/${world}/${path}`);
    await visit.page.getByRole('heading', { level: 1 }).waitFor();
    return visit.page;
  };

  it('[EXT3] [EXT3.9] is added and edited, and a mode without questions is refused next to its field', async () => {
    const page = await go('agents');
    await button(page, 'Add agent').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Coder');
    await dialog.getByLabel('Provider').selectOption('another program (ACP)');
    expect(await dialog.getByLabel('Model').count()).toBe(0);
    // A pasted command line is split.
    await dialog.getByLabel('Command').fill(`"${process.execPath}" ${program}`);
    await dialog.getByLabel('Name in its tools').fill('fixture');
    await dialog.getByLabel('Environment variables').fill('LANG, GEMINI_API_KEY');
    await expect.poll(() => dialog.getByLabel('Arguments').inputValue()).toBe(program);
    await dialog.getByLabel('Mode', { exact: true }).fill('yolo');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    await dialog.locator('p').getByText('would run calls without asking in this mode').waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await dialog.getByLabel('Mode', { exact: true }).fill('');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    await remarked(page, 'Added Coder.');
    const command = [process.execPath, program];
    const acp = { command, program: 'fixture', env: ['LANG', 'GEMINI_API_KEY'] };
    expect((await opened.api.agent(world, 'coder')).value).toMatchObject({ provider: 'acp', model: 'fixture', acp });

    await go('agents?agent=coder');
    await dialog.getByLabel('Environment variables').fill('');
    await button(page, 'Save').click();
    await remarked(page, 'Saved.');
    expect((await opened.api.agent(world, 'coder')).value.acp).toEqual({ command, program: 'fixture' });
  });

  itAtFullSize(
    '[EXT3.1] [EXT3.3] [CALL8] its card says why the call can’t be edited, and a double click and another person run it once',
    async () => {
      const ask = { toolCallId: 'one', title: 'Run true', kind: 'execute', rawInput: { command: 'true' } };
      await opened.api.send(world, chat, { content: `@Coder\n${JSON.stringify([{ ask: [ask] }])}` });
      await expect.poll(async () => (await opened.api.approvals(world)).items.length, { timeout: 30_000 }).toBe(1);
      const [approval] = (await opened.api.approvals(world)).items;
      if (approval === undefined) throw new Error('nothing was asked');
      const page = await go(`c/${chat}`);
      await page.getByText("You can't edit this call: the agent accepts only a yes or a no.").first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('button', { name: 'waiting for you' }).click();
      await page.getByText("You can't edit this call: the agent accepts only a yes or a no.").last().waitFor();
      expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const approve = button(page, 'Approve once').last();
      await enabled(approve);
      const api = opened.api.decide(world, approval, { decision: 'approve', scope: 'once' });
      await Promise.allSettled([approve.dblclick({ timeout: 5_000 }), api]);
      await expect.poll(async () => (await opened.api.chat(world, chat)).status, { timeout: 30_000 }).toBe('idle');
      const lines = readFileSync(join(approval.workingDirectory, 'ran.log'), 'utf8').trim().split('\n');
      expect(lines).toEqual(['one']);
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );

  describe('calls of an external agent in the web app', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'predicted-')));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('[HTTP9] [CHANGE9.5] the link opens this approval, which says that its effect is predicted', async () => {
      const { page } = visit;
      const { world } = await opened.newChat();
      await opened.api.updateWorld(world, { workingDirectory: folder });
      await writeFile(join(folder, 'a.tmp'), 'a');
      const { agent } = await opened.api.external.createAgent(world, { name: 'Claude', program: 'claude' });
      const propose = (key: string, command: string) =>
        opened.api.external.propose(world, {
          agent,
          session: 's1',
          key,
          program: 'claude',
          tool: 'Bash',
          arguments: { command },
          cwd: folder,
          reports: true,
        });
      await propose('k1', 'git push');
      const second = await propose('k2', 'rm *.tmp');
      const link = new URL(second.approval?.link ?? '');
      await goTo(page, `${link.pathname}${link.search}`);
      await page.locator('[data-panel]').getByText('rm *.tmp').first().waitFor();
      const effect = page.getByRole('group', {
        name: sandbox.kind === 'bubblewrap' ? 'Prediction' : 'What it will do',
      });
      if (sandbox.kind === 'bubblewrap') {
        await effect.getByText('Probably removes 1 file').waitFor();
        await effect.getByText('Predicted, not guaranteed').waitFor();
        await effect.getByText('Claude Code runs this itself').waitFor();
      } else await effect.getByText('It is unknown what this will change').waitFor();
      await decide(page, 'Approve once');
      await expect
        .poll(async () => (await opened.api.external.wait(world, second.id, 0)).state, { timeout: 30_000 })
        .toBe('allowed');
      expect(await readdir(folder)).toEqual(['a.tmp']);
    });

    it('[EXT1.28] [EXT1.30] what a gated agent asks is answered on its card, on a phone', async () => {
      const { world } = await opened.newChat();
      const { agent } = await opened.api.external.createAgent(world, { name: 'Claude', program: 'claude' });
      const { page } = visit;
      await page.setViewportSize({ width: 390, height: 780 });
      const ask = async (key: string, tool: string, args: Record<string, unknown>) => {
        const call = { agent, session: 's3', key, program: 'claude', tool, arguments: args, reports: true };
        const { id, approval } = await opened.api.external.propose(world, call);
        const link = new URL(approval?.link ?? '');
        await goTo(page, `${link.pathname}${link.search}`);
        return async () => await opened.api.external.wait(world, id, 0);
      };
      const options = [{ label: 'Red', description: 'as fire' }, { label: 'Blue' }];
      const asked = await ask('q1', 'AskUserQuestion', { questions: [{ question: 'Which colour?', options }] });
      const choice = page.getByRole('combobox', { name: 'Which colour?' });
      await choice.locator('option', { hasText: 'Red: as fire' }).waitFor({ state: 'attached' });
      await choice.selectOption('Blue');
      await page.getByRole('button', { name: 'Answer', exact: true }).click();
      await expect.poll(async () => (await asked()).reason).toContain('"Which colour?"="Blue"');
      const plan = Array.from({ length: 80 }, (_, at) => `${at + 1}. Step`).join('\n');
      const planned = await ask('q2', 'ExitPlanMode', { plan });
      const answer = page.getByRole('button', { name: 'Answer', exact: true });
      await page.getByText('1. Step').first().waitFor();
      await expect.poll(async () => await page.getByText('To approve this call, scroll to its end.').count()).toBe(1);
      expect(await answer.isEnabled()).toBe(false);
      await page.getByRole('combobox', { name: 'Decision' }).selectOption('Send it back with comments');
      await page.getByRole('textbox', { name: 'Comments' }).fill('Add tests');
      await answer.click();
      await expect.poll(async () => (await planned()).reason).toContain('Asked for changes: Add tests');
    });

    it('[EXT1.14] [EXT1.23] its chat has no message field, but tells it one sentence, also on a phone', async () => {
      const { world } = await opened.newChat();
      const { agent } = await opened.api.external.createAgent(world, { name: 'Claude', program: 'claude' });
      const call = {
        agent,
        session: 's2',
        program: 'claude',
        tool: 'Bash',
        arguments: { command: 'ls' },
        reports: true,
      };
      const { approval } = await opened.api.external.propose(world, { ...call, key: 'k1' });
      const link = new URL(approval?.link ?? '');
      const { page } = visit;
      await goTo(page, link.pathname);
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 780 });
        const note = page.getByText('Claude runs in its own program. It gets your decisions about its calls');
        await note.waitFor();
        expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
        const box = await note.boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width);
      }
      const field = page.getByRole('textbox', { name: 'Tell Claude' });
      await field.fill('Use rg');
      await field.press('Enter');
      await page.getByText('told Claude: “Use rg”').waitFor();
      // No turn has failed.
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect(await field.inputValue()).toBe('');
      await page.getByRole('note').getByRole('link', { name: 'new chat' }).click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
    });

    itAtFullSize(
      '[EXT1.4] [RULE5.6] its tools can be tested on the policy page, and a rule that can’t apply is marked',
      async () => {
        const { page } = visit;
        const { world } = await opened.newChat();
        await opened.api.external.createAgent(world, { name: 'Claude', program: 'claude' });
        const before = await opened.api.policy(world);
        const rules = [...before.value.rules, 'allow claude__Bash(rm *)'];
        await opened.api.setPolicy(world, { rules }, { ifMatch: before.etag ?? '' });
        await goTo(page, `/w/${world}/policy`);
        await page.getByText('a rule allows a command only if it spells it out').waitFor();
        const tester = page.locator('form').filter({ has: button(page, 'Test') });
        await tester.getByLabel('Tool', { exact: true }).selectOption('claude__Bash');
        await tester.getByRole('textbox').fill('{"command":"rm -rf build"}');
        await button(page, 'Test').click();
        await tester.getByText('It would need approval').waitFor();
        const why = tester.getByText(
          'the command runs without a sandbox, so only a rule for the exact command applies',
        );
        expect(await why.count()).toBeGreaterThan(0);
      },
    );
  });

  itAtFullSize('[EXT3.11] is not offered to admins of a single world', async () => {
    const { page } = visit;
    const mine = /\/api\/me$/;
    await page.route(mine, async (route) => {
      const reply = await route.fetch();
      const me = { kind: 'person', id: 'ida', name: 'Ida', role: null, worldRoles: { [world]: 'admin' } };
      await route.fulfill({ response: reply, json: { ...((await reply.json()) as object), ...me } });
    });
    await page.evaluate('sessionStorage.removeItem("countersign.me")');
    await page.goto(`${opened.serving.url}/w/${world}/agents`);
    await button(page, 'Add agent').first().click();
    const options = page.getByRole('dialog').getByLabel('Provider').locator('option');
    await expect.poll(async () => await options.allTextContents()).not.toContain('another program (ACP)');
    await page.unroute(mine);
  });

  describe('on this computer', () => {
    beforeAll(async () => {
      for (const name of ['bin', 'one', 'two', 'user']) await mkdir(at(name));
      for (const [name, version] of [
        ['claude', '2.1.326 (Claude Code)'],
        ['codex', 'codex-cli 0.169.0'],
      ] as const) {
        await writeFile(at(`bin/${name}`), `#!/bin/sh\necho '${version}'\n`);
        await chmod(at(`bin/${name}`), 0o755);
      }
    });
    const config = async () =>
      JSON.parse(await readFile(at('home/gate/claude.json'), 'utf8')) as Record<string, string> & { folders: unknown };

    it('[GATE7.6] are listed with their state, and gated with buttons', async () => {
      const { page, complaints } = visit;
      await page.setViewportSize({ width: 1280, height: 900 });
      await goTo(page, '/computer');
      const card = page.getByRole('listitem').filter({ hasText: 'Claude Code' });
      await card.getByText('Not gated').waitFor();
      const settings = at('user/.claude/settings.json');
      await card.getByText(`9 hooks and 2 permission settings in ${settings}`).waitFor();
      await card.getByText('countersign run claude').waitFor();
      const codex = page.getByRole('listitem').filter({ hasText: 'Codex' });
      expect(await codex.getByRole('button', { name: /Gate|folder/ }).count()).toBe(0);
      await codex.getByText('countersign run codex').waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Gemini CLI' }).getByText('Not installed').waitFor();

      await button(page, 'Gate…').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Folder of the project').fill('one');
      await dialog.getByRole('button', { name: 'Gate Claude Code' }).click();
      await dialog.getByText('Enter an absolute path').waitFor();
      // No world may work in a folder with the server's own files, and then nothing is left behind.
      const before = (await opened.api.worlds()).items.length;
      await dialog.getByLabel('Folder of the project').fill('/etc');
      await dialog.getByRole('button', { name: 'Gate Claude Code' }).click();
      await dialog.locator('p[id$="-said"]').getByText('/etc').waitFor();
      expect((await opened.api.worlds()).items).toHaveLength(before);
      await dialog.getByLabel('Folder of the project').fill(`${at('one')}/`);
      await dialog.getByText('Let it read in this folder').click();
      await dialog.getByText('to a world “Other folders”').click();
      expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
      await dialog.getByRole('button', { name: 'Gate Claude Code' }).click();
      await remarked(page, 'Claude Code is gated. Restart sessions that are already running.');
      await card.getByText('Gated', { exact: true }).waitFor();
      await card.getByText(`${at('one')} → one`).waitFor();
      expect(await readFile(settings, 'utf8')).toContain('"PreToolUse"');
      const { tokenId = '', url } = await config();
      expect({ ...(await config()), url }).toMatchObject({
        ...{ url: opened.serving.url, folders: [{ folder: at('one'), world: 'one', agent: 'claude-code' }] },
        elsewhere: { world: 'other-folders' },
      });
      expect((await opened.api.policy('one')).value.rules).toContain('allow claude__Bash(git status)');

      await page.setViewportSize({ width: 390, height: 844 });
      await button(page, 'Add a folder…').click();
      await dialog.getByLabel('Folder of the project').fill(at('two'));
      await dialog.getByRole('button', { name: 'Add a folder for Claude Code' }).click();
      await remarked(page, 'Folder added');
      await card.getByText(`${at('two')} → two`).waitFor();
      expect(await config()).toMatchObject({
        tokenId,
        folders: [{ world: 'one' }, { world: 'two', folder: at('two') }],
      });
      expect((await opened.api.policy('two')).value.rules).toEqual([]);
      expect(await overflow(page)).toBe(0);
      expect(await violations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('[GATE7.6] nothing is written for another token, program or world', async () => {
      const { api } = opened;
      const [text, { tokenId = '', token = '' }] = [
        await readFile(at('home/gate/claude.json'), 'utf8'),
        await config(),
      ];
      const { id: world } = await api.createWorld({ name: 'Elsewhere', workingDirectory: at('bin') });
      const other = await api.external.createAgent(world, { name: 'Gemini CLI', program: 'gemini' });
      for (const [agent, gate, status] of [
        ['claude', { tokenId: 'none', world: 'one' }, 404],
        ['claude', { tokenId, world }, 404],
        ['claude', { tokenId, world: 'other-folders' }, 422],
        ['gemini', { tokenId, world: 'one' }, 404],
        ['claude', { tokenId: other.tokenId, token: other.token, world }, 404],
        ['gemini', { tokenId: other.tokenId, token, world }, 404],
        ['gemini', { tokenId: other.tokenId, world }, 409],
        ['codex', { tokenId: other.tokenId, world }, 404],
      ] as const)
        await expect(api.gateLocalAgent(agent, gate)).rejects.toMatchObject({ status });
      expect(await readFile(at('home/gate/claude.json'), 'utf8')).toBe(text);
      await expect(readFile(at('home/gate/gemini.json'), 'utf8')).rejects.toThrow('ENOENT');
    });
  });
});
