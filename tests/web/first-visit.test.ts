import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRedirect } from '../../packages/server/src/serve/open-browser.js';
import { hasBrowser, launch, openBrowser, type Opened } from './support/open-browser.js';
import { button, giveReason, said, toolCard, topBar } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('the first visit', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened.close());

  it('[W1] [A9] shows two agents talking and lets a newcomer approve real commands, without any API key', async () => {
    const { page, complaints, context } = await opened.visit();
    const entered = new URL(page.url());
    expect(entered.hash).toBe('');
    expect(await page.evaluate('document.cookie')).toBe('');
    await button(page, 'Please tidy the notes folder.').click();
    await said(page, 'Found 11 notes, and 3 files that look like scratch.').waitFor();
    await said(page, 'I would do three things:').waitFor();
    await toolCard(page, 'list_files').getByText('done').waitFor();

    // The summary is shown as a diff.
    const panel = page.getByRole('complementary', { name: 'Waiting for you' });
    await panel.getByRole('group', { name: 'Changes' }).getByText('# Notes of the harbour').waitFor();
    // What a file tool will do is known without a sandbox (A52.9).
    const effect = panel.getByRole('group', { name: 'What it will do' });
    await effect.getByText('Adds 1 file').waitFor();
    await effect.getByText('notes/summary.md').waitFor();
    expect(await effect.innerText()).not.toContain('Rehearsed');
    await button(page, 'Approve once').click();
    await panel.getByRole('group', { name: 'Command' }).getByText('mkdir').waitFor();
    await giveReason(page, 'not this one');
    await button(page, 'Deny').click();
    await panel.getByRole('group', { name: 'Command' }).getByText('rm').waitFor();
    await button(page, 'Approve once').click();
    await said(
      page,
      'I wrote the summary and removed the scratch files. Not done: moved the logs (not this one).',
    ).waitFor();

    const notes = await readdir(join(opened.serving.home.workFolders.own('harbour'), 'notes'));
    expect(notes).toContain('summary.md');
    expect(notes.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(notes.filter((name) => name.endsWith('-log.md'))).toHaveLength(8);
    // The decision stays on the card.
    await toolCard(page, 'notes/summary.md').getByText('approved once', { exact: true }).waitFor();
    await toolCard(page, 'mkdir').getByText('denied').waitFor();
    await page.getByRole('link', { name: 'Tidy the notes folder' }).waitFor();
    await page.reload();
    await toolCard(page, 'notes/summary.md').getByText('approved once', { exact: true }).waitFor();
    await toolCard(page, 'mkdir').getByText('denied').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('[W1] the file that opens the browser signs it in, once', async () => {
    const browser = await launch();
    const file = writeRedirect(opened.serving.newStartUrl(), opened.serving.home.folder);
    for (const leadsIn of [true, false]) {
      const fresh = await browser.newContext();
      const other = await fresh.newPage();
      await other.goto(pathToFileURL(file).href);
      if (leadsIn) await other.getByLabel('Message').waitFor();
      else await other.getByText('It works once, for one minute.').waitFor();
      expect(await other.getByLabel('Message').count()).toBe(leadsIn ? 1 : 0);
      await fresh.close();
    }
  });

  it('[W1] [W1.9] a session outlives its tab; without one, a token or an invitation signs in, but no used ticket', async () => {
    const { page, context } = await opened.visit();
    // A second tab of a signed-in browser needs no link, and works without the first.
    const tab = await context.newPage();
    await page.close();
    await tab.goto(opened.serving.url);
    await tab.getByLabel('Message').waitFor();
    await context.close();

    const browser = await launch();
    const stranger = await browser.newContext();
    const other = await stranger.newPage();
    // With a used ticket, and without one.
    await other.goto(`${opened.serving.url}/#ticket=used-up`);
    await other.getByText('It works once, for one minute.').waitFor();
    expect(await other.getByLabel('Message').count()).toBe(0);
    await other.goto(opened.serving.url);
    await button(other, 'Sign in').click();
    await other.getByText('Enter a token.').waitFor();
    expect(await other.getByLabel('Message').count()).toBe(0);
    await other.getByLabel('Or paste a token').fill('cs_0123456789abcdef_wrong');
    await other.keyboard.press('Enter');
    await other.getByText('This token is invalid, expired or revoked.').waitFor();
    expect(await violations(other, { contrast: true })).toEqual([]);
    await other.getByLabel('Or paste a token').fill(opened.serving.home.token.value);
    await other.keyboard.press('Enter');
    await other.getByLabel('Message').waitFor();
    const headers = { Authorization: `Bearer ${opened.serving.home.token.value}`, 'Content-Type': 'application/json' };
    const send = (path: string, body?: object) =>
      fetch(`${opened.serving.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) });
    await send('/people', { name: 'Bob Invited', role: 'member' });
    const { open } = (await (await send('/people/bob-invited/invitations')).json()) as { open: string };
    const invited = await browser.newContext();
    const bob = await invited.newPage();
    await bob.goto(open);
    await bob.getByLabel('Message').waitFor();
    expect(bob.url()).not.toContain('invitation');
    await invited.close();
    await stranger.close();
  });

  it('[M9] Stop ends running work', async () => {
    // The command never ends, so its rehearsal would take until its time limit.
    await opened.api.updateWorld('harbour', { rehearse: 'off' });
    const { page, context } = await opened.visit();
    await button(page, 'Watch the tide for me.').click();
    await button(page, 'Approve once').click();
    await toolCard(page, 'seq 60').getByText('tide at 1').waitFor();
    await topBar(page).getByText('working').waitFor();
    await button(page, 'Stop').click();
    await toolCard(page, 'seq 60').getByText('stopped', { exact: true }).waitFor();
    await page
      .getByText(/Stopped before it finished/)
      .first()
      .waitFor();
    await expect.poll(() => topBar(page).getByText('working').count()).toBe(0);
    await context.close();
  });
});
