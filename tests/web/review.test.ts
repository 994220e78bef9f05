import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedSandbox } from '../support/shared-sandbox.js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, call, decide, drawn, enabled, focused, goTo, overflow, ready, said } from './support/steps.js';
import { supervisorAt } from '../../packages/server/src/testing/run-fixture.js';
import { isFullSize, itAtFullSize, scaled } from '../support/scaled.js';
import { violations } from './support/violations.js';

const hasRehearsals = (await sharedSandbox()).kind === 'bubblewrap';

/** Text in ink that would reverse the rest of the line, a secret, a file that runs later, a binary file, and generated ones. */
const HOSTILE = [
  `printf 'safe \\342\\200\\256 live\\n' > 'a b.txt'`,
  `echo x > "$(printf 'turn\\342\\200\\256cod.txt')"`,
  `echo 'token=ghp_abcdefghijklmnopqrstuvwxyz0123456789' > conf.env`,
  `mkdir .husky dist; echo 'curl evil' > .husky/pre-commit`,
  `printf '\\0\\1' > picture`,
  `for i in 1 2 3 4 5; do echo $i > dist/$i.js; done`,
  `rm old.txt; sed -i 's/two/2/' list.txt`,
].join('\n');

describe.runIf(hasBrowser && hasRehearsals)('the review page', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit({ clock: true });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** A call that waits, in a folder with these files. */
  async function proposed(content: string, files: Readonly<Record<string, string>> = {}) {
    const { world, chat, path } = await opened.newChat();
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'review-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'src'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await opened.api.updateWorld(world, { workingDirectory: folder });
    await opened.api.send(world, chat, { content });
    const { page } = visit;
    await goTo(page, path);
    await page.getByRole('link', { name: 'Review by file' }).waitFor();
    return { page, world, chat, path, folder };
  }
  const shownFile = (page: Page): Promise<string | null> =>
    page.evaluate<string | null>(`document.querySelector('h4')?.textContent`);
  const rowsIn = (page: Page): Promise<number> => page.locator('[data-row]').count();

  const files = scaled(60, 12);
  const longest = scaled(1700, 400);
  it(`[PAGE4] [PAGE4.1] [PAGE4.3] ${files} files and all their lines are reached in ${files + 10} key presses, and signed with the card`, async () => {
    const command = `for i in $(seq -w ${files - 1}); do seq -f "line %g of $i" 40 > src/file-$i.txt; done; seq -f 'line %g' ${longest} > src/zz-long.txt`;
    const { page, path, folder } = await proposed(call('shell_cmd', { command }));
    let presses = 0;
    const press = async (key: string): Promise<void> => {
      presses += 1;
      await page.keyboard.press(key);
    };
    await press('Alt+n');
    await focused(page.getByRole('region', { name: /wants to/ }));
    await press('f');
    await page.getByText(`0 of ${files} viewed`).waitFor();
    // The end of the summary has been on the screen.
    await drawn(page);
    const seen = new Set<string>();
    expect(await button(page, 'Approve once').isEnabled()).toBe(false);
    for (let file = 0; file < files; file += 1) {
      await press('ArrowRight');
      seen.add((await shownFile(page)) ?? '');
    }
    expect(seen.size).toBe(files);
    expect(await shownFile(page)).toBe('src/zz-long.txt');
    expect(await page.getByText(`line ${longest}`, { exact: true }).count()).toBe(0);
    await press('End');
    await page.getByText(`line ${longest}`, { exact: true }).waitFor();
    expect(presses).toBeLessThanOrEqual(files + 10);
    expect(await rowsIn(page)).toBeLessThan(120);
    await ready(page, 'Approve once');
    await page.keyboard.press('o');
    await page.waitForURL((url) => url.pathname === path);
    await said(page, 'Finished. done').waitFor();
    expect(await readdir(join(folder, 'src'))).toHaveLength(files);
  });

  it('[PAGE4.2] [PAGE4.4] [PAGE4.5] [PAGE4.6] a link leads to one file; hostile names and text look as on the card, in both themes', async () => {
    const files = { 'old.txt': 'x', 'list.txt': 'one\ntwo\n' };
    const { page, folder } = await proposed(call('shell_cmd', { command: HOSTILE }), files);
    await page.getByRole('link', { name: 'Review by file' }).click();
    const list = page.getByRole('group', { name: 'Files', exact: true });
    await list.waitFor();
    const rows = (await list.getByRole('button').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(rows.slice(0, 3)).toEqual([
      expect.stringContaining('.husky runs by itself'),
      expect.stringContaining('removed: old.txt'),
      expect.stringMatching(/list\.txt \+1 −1/),
    ]);
    expect(rows).toContainEqual(expect.stringMatching(/^dist\/ 6 added/));
    expect(rows).toContainEqual(expect.stringContaining('turn‹U+202E›cod.txt'));
    await list.getByRole('button', { name: /picture/ }).click();
    await page.getByText('It is not text, so no lines can be shown.').waitFor();
    await list.getByRole('button', { name: /conf\.env/ }).click();
    await page.getByText('token=ghp_‹masked 1: 32 characters›6789').waitFor();
    await list.getByRole('button', { name: /a b\.txt/ }).click();
    await page.getByLabel('Viewed').check();
    await page.reload();
    await page.locator('[data-row]').getByText('safe ‹U+202E› live').waitFor();
    expect(await shownFile(page)).toBe('a b.txt');
    // The mark survives the reload.
    await expect.poll(() => page.getByLabel('Viewed').isChecked()).toBe(true);
    expect(await violations(page, { contrast: true })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, { rules: ['color-contrast'] })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });

    // On a phone, one file at a time.
    await page.setViewportSize({ width: 390, height: 844 });
    await drawn(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await list.waitFor({ state: 'hidden' });
    await button(page, 'Files (8)').click();
    await list.getByRole('button', { name: /list\.txt/ }).click();
    await list.waitFor({ state: 'hidden' });
    await page.getByLabel('Changes in list.txt').getByText('two').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await decide(page, 'Deny');
    await said(page, 'Finished. denied').waitFor();
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['old.txt']));
    expect(visit.complaints).toEqual([]);
  });

  it('[CHANGE11.12] waiting calls of a chat are reviewed together, and each of them is on the screen before the button works', async () => {
    const { world, chat, path } = await opened.newChat();
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'together-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    await opened.api.updateWorld(world, { workingDirectory: folder });
    const long = Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n');
    const calls = [
      call('write_file', { path: 'notes.txt', content: long }),
      call('shell_cmd', { command: 'wc -l notes.txt > count.txt; echo x > tmp; rm tmp' }),
    ];
    await opened.api.send(world, chat, { content: calls.join('\n') });
    const { page } = visit;
    await goTo(page, path);
    const approve = button(page, 'Approve all 2');
    // On a phone, it is above the sheet of the card.
    const dialog = page.getByRole('dialog').last();
    for (const width of isFullSize ? [1440, 390] : [390]) {
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width, height: 844 });
      if (width < 1120) await page.getByRole('button', { name: /2 waiting for you/ }).click();
      await button(page, 'Review 2 calls together…').click();
      await dialog.getByRole('region', { name: '2 of 2' }).waitFor();
      expect(await dialog.getByRole('region', { name: 'What all of them change together' }).innerText()).toContain(
        'Adds 2 files',
      );
      // The button that is always possible shows that the first second is over.
      await ready(page, 'Deny all');
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await approve.isEnabled()).toBe(false);
      await dialog.getByRole('group', { name: 'Details' }).press('End');
      await enabled(approve);
      expect(await violations(page, { within: 'dialog' })).toEqual([]);
    }
    await approve.click();
    await page.setViewportSize({ width: 1440, height: 900 });
    await said(page, 'Finished. done').waitFor();
    expect((await readdir(folder)).sort()).toEqual(['count.txt', 'notes.txt']);
    expect(visit.complaints).toEqual([]);
  });

  it('[PAGE7] [PAGE7.2] [PAGE7.3] Changes lists what the calls of a chat changed, and undoes it', async () => {
    const files = { 'old.txt': 'x', 'list.txt': 'one\ntwo\n' };
    const { page, world, chat, path, folder } = await proposed(call('shell_cmd', { command: HOSTILE }), files);
    const [asked] = (await opened.api.approvals(world, { chat })).items;
    if (asked === undefined) throw new Error('no call waits');
    await opened.api.decide(world, asked, { decision: 'approve', scope: 'once' });
    await said(page, 'Finished. done').waitFor();
    await button(page, 'Chat menu').click();
    await page.getByRole('menuitem', { name: 'Changes' }).click();
    await page.waitForURL((url) => url.pathname === `${path}/changes`);
    const change = page.getByRole('main').getByRole('listitem').filter({ hasText: 'shell_cmd' });
    await change.getByText(/Approved once by/).waitFor();
    const text = (await change.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('turn‹U+202E›cod.txt');
    expect(text).toContain('old.txt');
    expect(await change.getByText('ghp_abcdef').count()).toBe(0);
    expect(await violations(page, { contrast: true })).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await drawn(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await change.getByRole('button', { name: 'Undo…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the call' }).click();
    await change.getByText(/Undone by you/).waitFor();
    expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await change.getByRole('button', { name: 'Undo…' }).count()).toBe(0);
    await change.getByRole('link', { name: 'Review by file' }).click();
    await page.getByText('0 of 8 viewed').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  /** A run that has ended and waits, in a folder with these files. */
  async function ended(files: Readonly<Record<string, string>>, written: Readonly<Record<string, string>>) {
    const { world } = await opened.newChat();
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'review-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await opened.api.updateWorld(world, { workingDirectory: folder });
    const { runs } = opened.api;
    const started = await runs.start(world, { program: ['make'], supervisor: supervisorAt(process.pid) });
    for (const [name, text] of Object.entries(written)) await writeFile(join(started.root, 'upper', name), text);
    await writeFile(join(started.root, 'ended.json'), JSON.stringify({ exitCode: 0, why: 'exited' }));
    const { approvalId = '' } = await runs.end(world, started.id);
    return { world, folder, started, approvalId };
  }

  it('[PAGE4.7] comments on lines of a run are kept with its change, and sent with Ask for changes', async () => {
    const { world, started, approvalId } = await ended({}, { 'new.txt': 'one\ntwo\n' });
    const { page } = visit;
    await goTo(page, `/w/${world}/review/${approvalId}?file=new.txt`);
    await page.locator('[data-row]').getByText('2', { exact: true }).click();
    await page.getByLabel('Comment', { exact: true }).fill('Why two?');
    expect(await page.getByLabel(/^Line of the new file/).inputValue()).toBe('2');
    await button(page, 'Add comment').click();
    await page.getByText('Line 2:').waitFor();
    await button(page, 'Comment…').click();
    await page.getByLabel('Comment', { exact: true }).fill('Add a test');
    await button(page, 'Add comment').click();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByText('Why two?').waitFor();
    await page.keyboard.press('s');
    await decide(page, 'Ask for changes…');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('new.txt:2').waitFor();
    await dialog.getByRole('textbox').fill('See the comments');
    await button(page, 'Send').click();
    await expect
      .poll(() => readFile(join(started.root, 'status.json'), 'utf8'))
      .toMatch(/"path":"new.txt","line":2,"text":"Why two\?".*Add a test/);
    // They are not sent twice.
    await expect
      .poll(() => page.evaluate<string | null>(`localStorage.getItem('countersign.comments')`))
      .not.toContain('Add a test');
  });

  it('[PAGE4.8] [PAGE4.9] [PAGE4.10] a block and a file of a run become a call of their own, by keyboard', async () => {
    const code = (first: string, last: string): string =>
      [`const greeting = '${first}';`, ...Array.from({ length: 20 }, (_, at) => `// ${at}`), `run(${last});`, ''].join(
        '\n',
      );
    const files = { 'a.ts': code('hello', '1'), 'b.txt': 'old\n' };
    const { world, folder, approvalId } = await ended(files, {
      'a.ts': code('goodbye', '2'),
      'b.txt': 'new\n',
      'c.txt': 'c\n',
    });
    const { page } = visit;
    await page.setViewportSize({ width: 1440, height: 900 });
    await goTo(page, `/w/${world}/review/${approvalId}?file=a.ts`);
    const lines = page.getByLabel('Changes in a.ts');
    await lines.locator('.hljs-keyword').first().waitFor();
    // Side by side, with the words that differ.
    const first = lines.locator('[data-row]').filter({ hasText: 'goodbye' });
    expect((await first.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/hello.*goodbye/);
    expect(await first.locator('.bg-green-mark').allInnerTexts()).toEqual(['goodbye']);
    // The rest of the page was checked above.
    const coloured = { within: '[aria-label="Changes in a.ts"]', contrast: true, rules: ['color-contrast'] };
    expect(await violations(page, coloured)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, coloured)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });

    for (const key of ['j', 'j', 'x']) await page.keyboard.press(key);
    await expect.poll(() => page.getByLabel('Select block 2').isChecked()).toBe(true);
    expect(await page.getByLabel('Select block 1').isChecked()).toBe(false);
    for (const key of ['ArrowRight', 'ArrowRight', 'x']) await page.keyboard.press(key);
    await expect.poll(() => page.getByLabel('Select c.txt').isChecked()).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    await drawn(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, 'Ask about these 2 files only').click();
    await page.getByText('This combination was never run.').waitFor();
    await page.getByText('0 of 2 viewed').waitFor();
    expect(await page.getByLabel('Select c.txt').count()).toBe(0);
    await decide(page, 'Approve once');
    await expect.poll(() => readFile(join(folder, 'c.txt'), 'utf8').catch(() => '')).toBe('c\n');
    expect(await readFile(join(folder, 'a.ts'), 'utf8')).toBe(code('hello', '2'));
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('old\n');
    expect(visit.complaints).toEqual([]);
  });

  itAtFullSize('[PAGE4.1] a long file is signed only after its end was on the screen', async () => {
    const count = isFullSize ? 20_000 : 3000;
    const content = Array.from({ length: count }, (_, line) => `${line + 1}\n`).join('');
    const { page, world, chat, folder } = await proposed(call('write_file', { path: 'long.txt', content }));
    await page.getByRole('link', { name: 'Review by file' }).click();
    await page.getByText('To approve this call, scroll to the end of long.txt.').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('[data-row]').getByText('3', { exact: true }).last().waitFor();
    expect(await rowsIn(page)).toBeLessThan(120);
    expect(await button(page, 'Approve once').isEnabled()).toBe(false);
    await page.keyboard.press('End');
    await page.locator('[data-row]').getByText(`${count}`, { exact: true }).last().waitFor();
    expect(await rowsIn(page)).toBeLessThan(120);
    const address = page.url();
    await decide(page, 'Approve once');
    await expect.poll(() => opened.api.chat(world, chat).then(({ status }) => status)).toBe('idle');
    expect(await readFile(join(folder, 'long.txt'), 'utf8')).toBe(content);
    // The link still shows what was signed, and decides nothing.
    await goTo(page, new URL(address).pathname);
    await page.getByText(/Approved once by you/).waitFor();
    expect(await button(page, 'Approve once').count()).toBe(0);
  });
});
