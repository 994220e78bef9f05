import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { hasBrowser, launch, webRoot } from './support/open-browser.js';
import { button, choose, said, toolCard, topBar } from './support/steps.js';

/** What the set-up of the run has built: `webBuild` is the word it looks for. */
const webBuild = webRoot;
const child = fileURLToPath(new URL('support/serve-child.mjs', import.meta.url));
const greeting = z.object({ url: z.string(), open: z.string() });

describe.runIf(hasBrowser)('a server that goes away', () => {
  let home = '';
  let browser: Browser;
  let running: ChildProcess | undefined;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'countersign-web-'));
    browser = await launch();
  });
  afterEach(async () => {
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  });
  afterAll(async () => {
    running?.kill('SIGKILL');
    await browser.close();
    await rm(home, { recursive: true, force: true });
    await rm(`${home}-worlds`, { recursive: true, force: true });
  });

  let port = 0;
  async function startAnywhere(): Promise<z.infer<typeof greeting>> {
    port = await freePort();
    return await start();
  }

  async function start(): Promise<z.infer<typeof greeting>> {
    running = spawn(process.execPath, [child, home, String(port), webBuild], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (running.stdout === null) throw new Error('there is nothing to read from');
    for await (const line of createInterface({ input: running.stdout })) return greeting.parse(JSON.parse(line));
    throw new Error('the server said nothing');
  }

  it('[S3] [S6] [A9] killed with an approval open: the page says so, comes back by itself, and the approval can be signed', async () => {
    const { open } = await startAnywhere();
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(open);
    await button(page, 'How large is the crew? Count the lines.').click();
    await page.getByText('wc -l notes/crew.md').first().waitFor();
    await button(page, 'Approve once').waitFor();
    await topBar(page).getByText('waiting for you').waitFor();
    const before = await page.getByRole('article').allInnerTexts();

    running?.kill('SIGKILL');
    if (running !== undefined) await once(running, 'exit');
    await page.getByText('Reconnecting… nothing is lost').waitFor();
    // Still readable, and what is typed meanwhile stays.
    await page.getByLabel('Message').fill('written meanwhile');

    await start();
    await expect.poll(() => page.getByText('Reconnecting… nothing is lost').count()).toBe(0);
    await expect.poll(() => page.getByRole('article').allInnerTexts()).toEqual(before);
    expect(await page.getByLabel('Message').inputValue()).toBe('written meanwhile');
    await expect.poll(() => toolCard(page, 'wc -l').count()).toBe(1);
    await button(page, 'Approve once').click();
    await said(page, 'I counted the crew. All done.').waitFor();
    expect(await toolCard(page, 'wc -l').count()).toBe(1);
    expect(await readdir(home)).toContain('countersign.db');
    await page.close();
  });

  it('[S3] [A7] killed with the questions of a phone open and one half edited: what was typed stays, and is what runs', async () => {
    const { open } = await startAnywhere();
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(open);
    await button(page, 'How large is the crew? Count the lines.').click();
    await page.getByRole('button', { name: /waiting for you/ }).click();
    const sheet = page.getByRole('dialog', { name: 'Waiting for you' });
    await choose(page, 'Edit');
    await sheet.getByRole('textbox', { name: 'Command' }).fill('wc -w notes/crew.md');

    running?.kill('SIGKILL');
    if (running !== undefined) await once(running, 'exit');
    await page.getByText('Reconnecting… nothing is lost').waitFor();
    await start();
    await expect.poll(() => page.getByText('Reconnecting… nothing is lost').count()).toBe(0);
    expect(await sheet.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('wc -w notes/crew.md');
    await sheet.getByRole('button', { name: 'Approve once', exact: true }).click();
    await said(page, 'I counted the crew. All done.').waitFor();
    await toolCard(page, 'wc -w notes/crew.md').getByText('edited').waitFor();
  });
});
