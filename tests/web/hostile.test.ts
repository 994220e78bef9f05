import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, scaled } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { addresses, button, call, overflow, press, said, toolCard, unfold, write, wrote } from './support/steps.js';

const HTML =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload="window.hacked=1"></svg><iframe srcdoc="<script>parent.hacked=1</script>">';
const BIDI = 'safe\u202Egpj.exe\u2066x\u2069';
/** Parsing it takes quadratic time. */
const DEEP = scaled(9000, 3000);
const ANSI = '\u001B[31mred\u001B[0m\u0007';

describe.runIf(hasBrowser)('hostile content', () => {
  let opened: Opened;
  let visit: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    const { path } = await opened.newChat();
    visit = await opened.visit({ path });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('is shown as text in a message, and its links run nothing', async () => {
    const { page } = visit;
    await write(
      page,
      `say ${HTML}\n\n[click](javascript:window.hacked=1) [data](data:text/html,<script>1</script>) ![p](http://127.0.0.1:9/p.png) [https://bank.example](http://127.0.0.1:9/login)\n\n${BIDI}`,
    );
    const answer = said(page, 'onerror=');
    await answer.waitFor();
    expect(await answer.locator('img, script, svg[onload], iframe, object, embed').count()).toBe(0);
    expect(await answer.getByRole('link', { name: 'click' }).count()).toBe(0);
    for (const href of await addresses(answer.locator('a'))) expect(href).toMatch(/^https?:/);
    // The host is shown next to link text that says otherwise.
    await answer.getByText('https://bank.example (127.0.0.1:9)').waitFor();
    await answer.getByText('‹U+202E›').waitFor();
  });

  it.each([
    ['emphasis', '*_'.repeat(DEEP)],
    ['quotes', '>'.repeat(3000)],
    // What is nested too deeply is decided in one place, which has unit tests.
    ...(isFullSize
      ? [
          ['lists', '- '.repeat(3000)],
          ['brackets', '['.repeat(DEEP)],
        ]
      : []),
  ] as [string, string][])(
    '%s nested thousands deep are shown as text, and the page still works',
    async (name, nested) => {
      const { page } = visit;
      await write(page, `say the ${name}\n\n${nested}x\n\nafter the ${name}`);
      await said(page, `after the ${name}`).waitFor();
      await expect.poll(() => said(page, `after the ${name}`).innerText()).toContain(nested.slice(0, 100));
    },
  );

  it('in the language tag of a code block is not parsed as Markdown', async () => {
    const { page } = visit;
    const inside = '![p](http://127.0.0.1:9/p.png) [click](http://127.0.0.1:9/x)';
    await write(
      page,
      `say ~~~x\`\`\`\n${inside} tilde\n~~~\n\n\`\`\`\`js\n\`\`\`\n${inside} fence\n\`\`\`\`\n\n~~~js\nconst one = 1; // colour\n~~~`,
    );
    const answer = said(page, '// colour');
    await answer.locator('.hljs-comment').waitFor();
    expect(await answer.locator('img, a').count()).toBe(0);
    for (const words of ['tilde', 'fence']) await answer.locator('pre').getByText(`${inside} ${words}`).waitFor();
  });

  it('[A15] in text that will run is escaped, on the card and in the transcript', async () => {
    const { page } = visit;
    await write(page, press(`${BIDI}${ANSI}<b>bold</b>`));
    const card = page.getByRole('region', { name: /wants to/ });
    await card.getByText('‹U+202E›').first().waitFor();
    await card.getByText('‹U+001B›').first().waitFor();
    expect(await card.locator('b').count()).toBe(0);
    await expect.poll(() => toolCard(page, '‹U+202E›').count()).toBe(1);
    expect(await card.innerText()).not.toContain('\u202E');
    await button(page, 'Deny').click();
    await said(page, 'Finished. denied').waitFor();
  });

  it('[T13] a result of ten megabytes in one line is folded and blocks nothing', async () => {
    const { page } = visit;
    await write(page, call('flood', { text: `${HTML}${ANSI}` }));
    const flood = toolCard(page, 'flood');
    await flood.getByText('done').waitFor();
    await unfold(flood);
    await flood.getByRole('button', { name: /Show more/ }).waitFor();
    expect((await flood.innerText()).length).toBeLessThan(10_000);
    expect(await flood.locator('img, script, iframe').count()).toBe(0);
    await page.getByLabel('Message').fill('still here');
    await page.getByLabel('Message').fill('');
  });

  it('a line of a million characters from a person is folded too', async () => {
    const { page } = visit;
    await opened.api.send(...(await here()), { content: 'y'.repeat(999_999) });
    await wrote(page, 'yyyy').waitFor();
    await page
      .getByRole('button', { name: /Show more \(\d+ kB left\)/ })
      .last()
      .waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);

    async function here(): Promise<[string, string]> {
      const [, , world = '', , chat = ''] = new URL(page.url()).pathname.split('/');
      return Promise.resolve([world, chat]);
    }
  });

  it('in a chat title is shown as text', async () => {
    const { page } = visit;
    const [, , world = '', , chat = ''] = new URL(page.url()).pathname.split('/');
    await opened.api.renameChat(world, chat, `<img src=x onerror=alert(1)> ${BIDI}`);
    await page.getByRole('heading', { level: 1, name: '<img src=x' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).not.toContain('\u202E');
  });

  it('in code whose highlighter could not be loaded is shown as plain text, and affects nothing else', async () => {
    const { path } = await opened.newChat();
    const page = await visit.context.newPage();
    await page.route('**/highlighted*.js', (route) => route.abort());
    await page.goto(`${opened.serving.url}${path}`);
    await write(page, 'say Some **words**.\n\n```js\nconst one = 1;\n```\n\nMore *words*.');
    const answer = said(page, 'More words.');
    await answer.locator('pre').getByText('const one = 1;').waitFor();
    expect(await answer.locator('strong').innerText()).toBe('words');
    await page.close();
  });

  it('runs nothing, and causes no other requests', async () => {
    expect(await visit.page.evaluate("'hacked' in globalThis")).toBe(false);
    expect(visit.complaints).toEqual([]);
  });
});
