import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { z } from 'zod';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { hasBrowser, launch, leave, webRoot } from './support/open-browser.js';
import { button, choose, goTo, remarked, REMARKS, said, sendByKey, toolCard, topBar, wrote } from './support/steps.js';

/** Named `webBuild` because the global setup builds the app only if a test file contains that word. */
const webBuild = webRoot;
/** Built from `support/serve-child.mjs`. */
const child = fileURLToPath(new URL('../../packages/countersign/dist/testing/bundle/serve-child.js', import.meta.url));
/** Commands are rehearsed in a sandbox. */
const hasRehearsals = (await sharedSandbox()).kind === 'bubblewrap';
const greeting = z.object({ url: z.string(), open: z.string() });

describe.runIf(hasBrowser)('a server that stops', () => {
  let home = '';
  let page: Page;
  let running: ChildProcess | undefined;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'countersign-web-'));
  });
  afterEach(() => page.close());
  afterAll(async () => {
    leave();
    await end();
    await rm(home, { recursive: true, force: true });
    await rm(`${home}-worlds`, { recursive: true, force: true });
  });

  let port = 0;
  let unused: z.infer<typeof greeting> | undefined;
  /** The server that the last test restarted, with an unused start link, or else a new one. */
  async function findServer(): Promise<z.infer<typeof greeting>> {
    if (unused === undefined) {
      await end();
      port = await freePort();
      await start();
    }
    const found = unused;
    unused = undefined;
    if (found === undefined) throw new Error('the server said nothing');
    return found;
  }

  async function start(): Promise<void> {
    running = spawn(process.execPath, [child, home, String(port), webBuild], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (running.stdout === null) throw new Error('there is nothing to read from');
    for await (const line of createInterface({ input: running.stdout })) {
      unused = greeting.parse(JSON.parse(line));
      return;
    }
    throw new Error('the server said nothing');
  }

  async function end(): Promise<void> {
    unused = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }

  async function openPage(width: number, height: number): Promise<Page> {
    const browser = await launch();
    return await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
  }

  it('[STORE3] [STORE6] [CALL9] [PAGE1.1] [HTTP2] killed with a pending approval: messages arrive once afterwards, and the call can be approved', async () => {
    const { open } = await findServer();
    page = await openPage(1440, 900);
    await page.addInitScript(REMARKS);
    await page.goto(open);
    await button(page, 'How large is the crew? Count the lines.').click();
    await page.getByText('wc -l notes/crew.md').first().waitFor();
    await button(page, 'Approve once').waitFor();
    await topBar(page).getByText('waiting for you').waitFor();
    const before = await page.getByRole('article').allInnerTexts();

    await kill();
    // The page is still readable, and shows messages immediately.
    await page.getByLabel('Message').fill('the first\nof two');
    await sendByKey(page);
    await wrote(page, 'the first').waitFor();
    await page.getByLabel('Message').fill('the second');
    await sendByKey(page);
    await wrote(page, 'the first').getByText('Not sent yet, retrying…').waitFor();
    await wrote(page, 'the second').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('');
    await page.getByLabel('Message').fill('a draft');
    // A page that was never opened says that it can't be loaded, and loads later; the rest stays in place.
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    expect(await page.getByRole('button', { name: /^World:/ }).count()).toBe(1);

    await back();
    await button(page, 'New schedule').waitFor();
    await page.goBack();
    await expect.poll(() => page.getByText(/Not sent yet|Sending…/).count()).toBe(0);
    for (const words of ['the first', 'the second']) {
      await wrote(page, words).locator('header time').waitFor();
      expect(await page.getByRole('article', { name: 'you', exact: true }).filter({ hasText: words }).count()).toBe(1);
    }
    expect((await page.getByRole('article').allInnerTexts()).slice(0, before.length)).toEqual(before);
    expect(await page.getByLabel('Message').inputValue()).toBe('a draft');
    await expect.poll(() => toolCard(page, 'wc -l').count()).toBe(1);
    await button(page, 'Approve once').click();
    await said(page, 'I counted the crew: 5. All done.').waitFor();
    expect(await toolCard(page, 'wc -l').count()).toBe(1);
    expect(await readdir(home)).toContain('countersign.db');
  });

  itAtFullSize(
    '[STORE3] [CALL7] a half-edited call in a phone’s sheet survives a kill, and the edited call runs',
    async () => {
      const { open } = await findServer();
      page = await openPage(360, 740);
      await page.clock.install();
      await page.goto(open);
      await button(page, 'How large is the crew? Count the lines.').click();
      await page.getByRole('button', { name: /waiting for you/ }).click();
      const sheet = page.getByRole('dialog', { name: 'Waiting for you' });
      await choose(page, 'Edit');
      await sheet.getByRole('textbox', { name: 'Command' }).fill('wc -w notes/crew.md');

      await kill();
      await failInBackground(page);
      expect(await sheet.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('wc -w notes/crew.md');
      await startAndWake();
      await expect.poll(() => page.getByText('No connection to the server. Reconnecting…').count()).toBe(0);
      expect(await sheet.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('wc -w notes/crew.md');
      // The edited call is shown with its effect before it can be approved (CALL7.4, CHANGE6.9).
      await sheet.getByRole('button', { name: 'Preview', exact: true }).click();
      await sheet.getByText(/This is the edited call\. Check .*, then approve it\./).waitFor();
      if (hasRehearsals)
        await sheet.getByRole('group', { name: 'What it will do' }).getByText('Changes no files').waitFor();
      // The note below the buttons is not cut off.
      const note = sheet.locator('section footer > p');
      expect(await note.evaluate(isCutOff)).toBe(false);
      // The new card has the focus.
      await sheet.locator('section:focus').waitFor();
      expect(await page.getByRole('alert').allInnerTexts()).toEqual([]);
      await sheet.getByRole('button', { name: 'Approve once', exact: true }).click();
      await said(page, 'I counted the crew: 12. All done.').waitFor();
      await toolCard(page, 'wc -w notes/crew.md').getByText('edited').waitFor();
    },
  );

  async function kill(): Promise<void> {
    await end();
    await page.getByText('No connection to the server. Reconnecting…').waitFor();
  }

  /** The page retries immediately, as when a laptop comes back online, instead of waiting for its longest delay. */
  async function startAndWake(): Promise<void> {
    await start();
    await page.evaluate('dispatchEvent(new Event("online"))');
  }

  async function back(): Promise<void> {
    await startAndWake();
    await expect.poll(() => page.getByText('No connection to the server. Reconnecting…').count()).toBe(0);
    await remarked(page, 'Reconnected.');
  }

  itAtFullSize(
    '[PAGE1] killed while a policy and an agent are half edited: everything stays, and can be saved afterwards',
    async () => {
      const { open } = await findServer();
      page = await openPage(1440, 900);
      await page.addInitScript(REMARKS);
      await page.clock.install();
      await page.goto(open);
      await page.getByLabel('Message').waitFor();
      await goTo(page, '/w/harbour/policy?as=text');
      const rules = page.getByLabel('Rules');
      await rules.fill(`${await rules.inputValue()}\nask shell_cmd(git push *)`);
      await kill();
      await failInBackground(page);
      expect(await rules.inputValue()).toContain('ask shell_cmd(git push *)');
      await button(page, 'Save policy').click();
      await page.getByText('The server is not responding.').first().waitFor();
      await back();
      // It is no longer true.
      await expect.poll(() => page.getByText('The server is not responding.').count()).toBe(0);
      expect(await rules.inputValue()).toContain('ask shell_cmd(git push *)');
      await button(page, 'Save policy').click();
      await remarked(page, 'Policy saved.');

      await page.getByRole('link', { name: 'Agents' }).click();
      await button(page, 'Add agent').click();
      const form = page.getByRole('dialog', { name: 'Add agent' });
      await form.getByLabel('Name').fill('Porter');
      await form.getByLabel('System prompt').fill('Carry things.');
      await kill();
      await failInBackground(page);
      // Shown in the dialog, because a modal dialog covers the rest of the page.
      await form.getByText('No connection to the server. Reconnecting…').waitFor();
      await form.getByLabel('Model').fill('demo');
      await back();
      expect(await form.getByLabel('System prompt').inputValue()).toBe('Carry things.');
      await form.getByRole('button', { name: 'Add agent', exact: true }).click();
      await expect.poll(() => form.count()).toBe(0);
      await page.getByRole('main').getByText('Porter', { exact: true }).waitFor();
    },
  );
});

/** Lets enough time pass for the page to poll its worlds and fail, including retries. */
async function failInBackground(page: Page): Promise<void> {
  let failed = 0;
  page.on('requestfailed', (request) => {
    if (request.url().includes('/api/worlds?')) failed += 1;
  });
  await expect
    .poll(async () => {
      await page.clock.fastForward(5000);
      return failed;
    })
    .toBeGreaterThan(1);
}

function isCutOff(element: {
  scrollWidth: number;
  clientWidth: number;
  scrollHeight: number;
  clientHeight: number;
}): boolean {
  return element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
}
