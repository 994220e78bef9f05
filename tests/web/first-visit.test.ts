import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRedirect } from '../../packages/server/src/serve/open-browser.js';
import { itAtFullSize } from '../support/scaled.js';
import { hasBrowser, launch, openBrowser, type Opened, type Visit } from './support/open-browser.js';
import { button, decide, giveReason, goTo, said, toolCard, topBar } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('the first visit', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened.close());

  it('[WHO1] [CALL9] shows two agents talking and lets a newcomer approve real commands, without any API key', async () => {
    visit = await opened.visit({ clock: true });
    const { page, complaints } = visit;
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
    // What a file tool will do is known without a sandbox (CHANGE7).
    const effect = panel.getByRole('group', { name: 'What it will do' });
    await effect.getByText('Adds 1 file').waitFor();
    await effect.getByText('notes/summary.md').waitFor();
    expect(await effect.innerText()).not.toContain('Rehearsed');
    await decide(page, 'Approve once');
    await panel.getByRole('group', { name: 'Command' }).getByText('mkdir').waitFor();
    await giveReason(page, 'not this one');
    await decide(page, 'Deny');
    await panel.getByRole('group', { name: 'Command' }).getByText('rm').waitFor();
    await decide(page, 'Approve once');
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
    expect(complaints).toEqual([]);
  });

  itAtFullSize(
    '[CALL9] [WORLD9] works in a second tab without the first, and lets a newcomer stop real commands',
    async () => {
      const { page, complaints, context } = visit;
      // A second tab of a signed-in browser needs no link, works without the first, and shows the decisions.
      const tab = await context.newPage();
      const chat = page.url();
      await page.close();
      await tab.goto(chat);
      await toolCard(tab, 'notes/summary.md').getByText('approved once', { exact: true }).waitFor();
      await toolCard(tab, 'mkdir').getByText('denied').waitFor();

      // The command never ends, so its rehearsal would take until its time limit.
      await opened.api.updateWorld('harbour', { rehearse: 'off' });
      await goTo(tab, '/w/harbour');
      await button(tab, 'Watch the tide for me.').click();
      await decide(tab, 'Approve once');
      await toolCard(tab, 'seq 60').getByText('tide at 1').waitFor();
      await topBar(tab).getByText('working').waitFor();
      await button(tab, 'Stop').click();
      await toolCard(tab, 'seq 60').getByText('stopped', { exact: true }).waitFor();
      await tab
        .getByText(/Stopped before it finished/)
        .first()
        .waitFor();
      await expect.poll(() => topBar(tab).getByText('working').count()).toBe(0);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('[WHO1] [WHO1.9] the file that opens the browser signs it in, once; without a session, a token signs in', async () => {
    const browser = await launch();
    const file = writeRedirect(opened.serving.newStartUrl(), opened.serving.home.folder);
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(pathToFileURL(file).href);
    await other.getByLabel('Message').waitFor();
    await context.clearCookies();
    await other.goto(pathToFileURL(file).href);
    await other.getByText('It works once, for one minute.').waitFor();
    expect(await other.getByLabel('Message').count()).toBe(0);
    await button(other, 'Sign in').click();
    await other.getByText('Enter a token.').waitFor();
    await other.getByLabel('Or paste a token').fill('cs_0123456789abcdef_wrong');
    await other.keyboard.press('Enter');
    await other.getByText('This token is invalid, expired or revoked.').waitFor();
    expect(await other.getByLabel('Message').count()).toBe(0);
    expect(await violations(other, { contrast: true })).toEqual([]);
    await other.getByLabel('Or paste a token').fill(opened.serving.home.token.value);
    await other.keyboard.press('Enter');
    await other.getByLabel('Message').waitFor();
    await context.close();
  });
});
