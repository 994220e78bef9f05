import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSandbox } from '@countersign/tools';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, decide, goTo } from './support/steps.js';

const sandbox = await findSandbox();

describe.runIf(hasBrowser)('calls of an external agent in the web app', () => {
  let opened: Opened;
  let visit: Visit;
  let folder: string;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ clock: true });
    folder = await realpath(await mkdtemp(join(tmpdir(), 'predicted-')));
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('[W3.50] [A60.5] the link opens this approval, which says that its effect is predicted', async () => {
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
    const effect = page.getByRole('group', { name: sandbox.kind === 'bubblewrap' ? 'Prediction' : 'What it will do' });
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

  it('[A55.14] its chat has no message field and says why, also on a phone', async () => {
    const { world } = await opened.newChat();
    const { agent } = await opened.api.external.createAgent(world, { name: 'Claude', program: 'claude' });
    const call = { agent, session: 's2', program: 'claude', tool: 'Bash', arguments: { command: 'ls' }, reports: true };
    const { approval } = await opened.api.external.propose(world, { ...call, key: 'k1' });
    const link = new URL(approval?.link ?? '');
    const { page } = visit;
    await goTo(page, link.pathname);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 780 });
      const note = page.getByText('Claude runs in its own program and takes no messages here.');
      await note.waitFor();
      expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
      const box = await note.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width);
    }
    await page.getByRole('note').getByRole('link', { name: 'new chat' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  });

  it('[A55.4] [A26.6] its tools can be tested on the policy page, and a rule that can’t apply is marked', async () => {
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
    const why = tester.getByText('the command runs without a sandbox, so only a rule for the exact command applies');
    expect(await why.count()).toBeGreaterThan(0);
  });
});
