// Takes screenshots of the web app's main states, light and dark, on a phone and a desktop: docs/pictures/*.png.
// Uses a real server with the demo world in a scratch folder, so they show nothing from this machine.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog, serve } from '@countersign/server';
import { chromium } from 'playwright-core';
import { buildWeb } from './build-web.mjs';
import { findChromium } from './find-chromium.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pictures = join(root, 'docs', 'pictures');
const executablePath = findChromium();
if (executablePath === undefined) {
  console.error('No Chromium was found. Install Chromium or Chrome, or set CHROMIUM_PATH.');
  process.exit(1);
}
if (!buildWeb()) process.exit(1);
mkdirSync(pictures, { recursive: true });

const parent = mkdtempSync(join(tmpdir(), 'countersign-'));
const home = join(parent, 'home');
const log = createLog({ level: 'error', isTerminal: true, write: (line) => process.stderr.write(line), now: Date.now });
const serving = await serve({
  home,
  env: {},
  log,
  port: 0,
  version: 'pictures',
  webRoot: join(root, 'packages', 'web', 'dist'),
  ollamaUrl: 'http://127.0.0.1:9',
});
await send('PATCH', '/people/owner', { name: 'Ada Lovelace' });
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });

/** @typedef {{ name: string, width: number, height: number, colorScheme: 'light' | 'dark' }} Look */
/** @type {Look[]} */
const looks = [
  { name: 'desktop-light', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1440, height: 900, colorScheme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
];
/** @type {{ look: Look, page: import('playwright-core').Page }[]} */
const contexts = [];
for (const look of looks) {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    colorScheme: look.colorScheme,
    reducedMotion: 'reduce',
  });
  await context.route('**/api/worlds/**', withNeutralFolder);
  const page = await context.newPage();
  await page.goto(serving.newStartUrl());
  await page.getByLabel('Message').waitFor();
  contexts.push({ look, page });
}
const [first] = contexts;
if (first === undefined) throw new Error('there is no page');

await all('first-visit', async () => undefined);

await first.page.getByRole('button', { name: 'Please tidy' }).click();
await first.page.getByRole('button', { name: 'Approve once' }).waitFor();
const chat = new URL(first.page.url()).pathname;
await all('approvals', async ({ page, look }) => {
  await visit(page, chat);
  await page.getByText('I would do three things').waitFor();
  if (look.width < 1120) await page.getByRole('button', { name: /waiting for you/ }).click();
  // The call that removes files, with what it will do.
  await page.getByRole('list', { name: 'Also waiting' }).getByRole('button', { name: 'rm notes/' }).click();
  await page.getByRole('group', { name: 'Command' }).getByText('rm').first().waitFor();
  await page.getByRole('button', { name: 'Approve once', disabled: false }).waitFor();
  await page.mouse.move(0, 0);
});

// A newcomer approves two calls and denies one.
const { page } = first;
await visit(page, chat);
await page.getByRole('button', { name: 'Approve once', exact: true }).click();
await page.getByRole('group', { name: 'Command' }).getByText('mkdir').waitFor();
await page.getByRole('button', { name: 'Reason…' }).click();
await page.getByLabel('Reason', { exact: true }).fill('keep the logs where they are');
await page.getByRole('button', { name: 'Deny', exact: true }).click();
await page.getByRole('group', { name: 'Command' }).getByText('rm').first().waitFor();
await page.getByRole('button', { name: 'Approve once', exact: true }).click();
await page.getByText('Not done: moved the logs').waitFor();
await all('done', async ({ page: each }) => {
  await visit(each, chat);
  await each.getByText('Not done: moved the logs').waitFor();
  await each.locator('[data-invocation]').filter({ hasText: 'summary.md' }).getByRole('button').first().click();
  await each.getByText('Approved once by').first().waitFor();
});

await visit(page, '/w/harbour');
await page.getByRole('button', { name: 'How large is the crew' }).click();
await page.getByRole('button', { name: 'More choices' }).waitFor();
await page.reload();
await page.getByRole('button', { name: 'More choices' }).click();
await page.getByRole('menuitem', { name: 'Always…' }).click();
await page.getByText('in this chat').last().waitFor();
await shoot(first, 'always');
await page.getByRole('button', { name: 'Approve always' }).click();
await page.getByText('I counted the crew').waitFor();

// The other pages, each in light and dark mode.
const [light, , , night] = contexts;
await send('POST', '/people', { name: 'Bob', role: 'approver' });
await send('POST', '/people', { name: 'Carol', role: 'member' });
await send('PUT', '/groups/release', { people: ['owner', 'bob'] });
await send('POST', '/people/owner/tokens', { name: 'Nightly backup', scopes: ['read'] });
for (const path of [
  '/w/harbour/policy',
  '/w/harbour/audit',
  '/w/harbour/stats',
  '/w/harbour/agents',
  '/people',
  '/account',
]) {
  const name = path.split('/').at(-1) ?? '';
  for (const each of [light, night]) {
    if (each === undefined) continue;
    await visit(each.page, path);
    await each.page.getByRole('heading', { level: 1 }).waitFor();
    if (name === 'audit') await each.page.getByRole('button', { name: 'Verify chain' }).click();
    await shoot(each, name);
  }
}

await browser.close();
await serving.close();
rmSync(parent, { recursive: true, force: true });

/**
 * Replaces the path of the scratch folder. Streams are not rewritten, so pages are reloaded before a screenshot.
 *
 * @param {import('playwright-core').Route} route
 */
async function withNeutralFolder(route) {
  if (route.request().headers()['accept'] === 'text/event-stream') return route.continue();
  // A reload cancels open requests.
  const response = await route.fetch().catch(() => undefined);
  if (response === undefined) return route.abort().catch(() => undefined);
  const body = (await response.text()).replaceAll(`${home}-worlds`, '/home/you/worlds');
  return route.fulfill({ response, body });
}

/** @param {string} method @param {string} path @param {object} body */
async function send(method, path, body) {
  const headers = { Authorization: `Bearer ${serving.home.token.value}`, 'Content-Type': 'application/json' };
  const request = { method, headers, body: JSON.stringify(body) };
  const { ok, status } = await fetch(`${serving.url}/api${path}`, request);
  if (!ok) throw new Error(`${method} ${path} failed with ${status}`);
}

/** @param {import('playwright-core').Page} page @param {string} path */
async function visit(page, path) {
  await page.goto(`${serving.url}${path}`);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  // A page whose fonts took too long keeps the system's. Now they are cached.
  await page.reload();
  await page.getByRole('main').waitFor();
}

/** @param {string} name @param {(each: (typeof contexts)[number]) => Promise<unknown>} prepare */
async function all(name, prepare) {
  for (const each of contexts) {
    await prepare(each);
    await shoot(each, name);
  }
}

/** @param {(typeof contexts)[number]} each @param {string} name */
async function shoot({ page, look }, name) {
  await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined);
  await page.screenshot({ path: join(pictures, `${name}-${look.name}.png`) });
}
