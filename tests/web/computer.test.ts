import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gateLocally, listLocalAgents, type LocalPlaces } from '../../packages/terminal/src/gate/local-agents.js';
import { hasBrowser, openBrowser, type Opened, picturesOf } from './support/open-browser.js';
import { button, goTo, overflow, remarked } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('agents on this computer', () => {
  let opened: Opened;
  let root = '';
  const at = (name: string): string => join(root, name);
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'countersign-computer-')));
    for (const name of ['bin', 'one', 'two', 'user']) await mkdir(at(name));
    for (const [name, version] of [
      ['claude', '2.1.326 (Claude Code)'],
      ['codex', 'codex-cli 0.169.0'],
    ] as const) {
      await writeFile(at(`bin/${name}`), `#!/bin/sh\necho '${version}'\n`);
      await chmod(at(`bin/${name}`), 0o755);
    }
    const url = async (): Promise<string> => opened.serving.url;
    const places: LocalPlaces = { env: { PATH: at('bin') }, userHome: at('user'), home: at('home'), url };
    opened = await openBrowser({
      localAgents: {
        list: async () => await listLocalAgents(places),
        gate: async (agent, gate) => await gateLocally(agent, gate, places),
      },
    });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(async () => {
    await opened.close();
    await rm(root, { recursive: true, force: true });
  });
  const config = async () =>
    JSON.parse(await readFile(at('home/gate/claude.json'), 'utf8')) as Record<string, string> & { folders: unknown };

  it('[GATE7.6] are listed with their state, and gated with buttons', async () => {
    const { page, complaints } = await opened.visit({ width: 1280 });
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
    expect(await config()).toMatchObject({ tokenId, folders: [{ world: 'one' }, { world: 'two', folder: at('two') }] });
    expect((await opened.api.policy('two')).value.rules).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('[GATE7.6] nothing is written for another token, program or world', async () => {
    const { api } = opened;
    const [text, { tokenId = '', token = '' }] = [await readFile(at('home/gate/claude.json'), 'utf8'), await config()];
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
