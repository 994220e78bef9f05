// Takes screenshots of the web app's main states, light and dark, on a phone and a desktop: docs/pictures/*.png.
// Uses a real server with the demo world in a scratch folder, so they show nothing from this machine.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@countersign/client';
import { createLog, serve } from '@countersign/server';
import { chromium } from 'playwright-core';
import { buildWeb } from './build-web.mjs';
import { findChromium } from './find-chromium.mjs';
import { gateCards } from './gate-cards.mjs';
import { runCard } from './run-card.mjs';

/** The whole script fails after this time. */
const LIMIT_MS = 360_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pictures = join(root, 'docs', 'pictures');
const executablePath = findChromium();
if (executablePath === undefined) {
  console.error('No Chromium was found. Install Chromium or Chrome, or set CHROMIUM_PATH.');
  process.exit(1);
}
if (!buildWeb()) process.exit(1);
const limit = setTimeout(() => {
  console.error(`The pictures are not finished after ${LIMIT_MS / 1000} s.`);
  process.exit(1);
}, LIMIT_MS);
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
const server = createClient({
  url: serving.url,
  token: serving.home.token.value,
  fetch: (url, request) => fetch(url, { signal: AbortSignal.timeout(30_000), ...request }),
});
await server.updatePerson('owner', { name: 'Ada Lovelace' });
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });

/** @typedef {{ name: string, width: number, height: number, colorScheme: 'light' | 'dark', deviceScaleFactor?: number }} Look */
/** @type {Look[]} */
const looks = [
  { name: 'desktop-light', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1440, height: 900, colorScheme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
];
/** @type {{ look: Look, page: import('playwright-core').Page }[]} */
const contexts = [];
for (const look of looks) contexts.push({ look, page: await open(look) });
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

// On the narrowest phone, too.
const small = [];
for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  const look = { name: `small-${colorScheme}`, width: 360, height: 740, colorScheme };
  small.push({ look, page: await open(look) });
}
for (const each of [...contexts, ...small]) {
  const { page, look } = each;
  await visit(page, '/inbox');
  const removal = page.getByRole('list', { name: 'Waiting calls' }).getByRole('button', { name: /rm notes/ });
  await removal.waitFor();
  // On a phone, the list and the card are two pictures.
  if (look.width < 1120) await shoot(each, 'inbox');
  await removal.click();
  await page.getByRole('button', { name: 'Approve once', disabled: false }).waitFor();
  await page.mouse.move(0, 0);
  await shoot(each, look.width < 1120 ? 'inbox-card' : 'inbox');
}

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
  // All three calls, with the one that was denied, and what Mason says about it.
  await each.getByText('Not done: moved the logs').scrollIntoViewIfNeeded();
  await each.mouse.move(0, 0);
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
await server.addPerson({ name: 'Bob', role: 'approver' });
await server.addPerson({ name: 'Carol', role: 'member' });
await server.putGroup('release', { people: ['owner', 'bob'] });
await server.createToken('owner', { name: 'Nightly backup', scopes: ['read'] });
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

// A phone that gets notifications, and the link that pairs another one.
for (const each of contexts.filter(({ look }) => look.width < 1120)) {
  const { page } = each;
  await visit(page, '/account');
  await page.getByRole('region', { name: 'Notifications' }).scrollIntoViewIfNeeded();
  await shoot(each, 'notifications');
  await page.getByRole('button', { name: 'Open on another device' }).click();
  await page.getByRole('dialog').getByLabel('Link', { exact: true }).waitFor();
  await shoot(each, 'pairing');
}

// One card per coding agent, in as little space as it needs.
const narrow = await open({ name: 'card', width: 390, height: 1200, colorScheme: 'light', deviceScaleFactor: 2 });
await gateCards({ server, url: serving.url, folder: join(`${home}-worlds`, 'harbour'), shoot: shootCard });

const runChat = await runCard({ server, home, folder: join(`${home}-worlds`, 'log-reader') });
for (const each of [light, night]) {
  if (each === undefined) continue;
  await visit(each.page, runChat);
  if (each.look.width < 1120) await each.page.getByRole('button', { name: /waiting for you/ }).click();
  await each.page.getByText('1 commit').waitFor();
  await each.page.mouse.move(0, 0);
  await shoot(each, 'run');
}

clearTimeout(limit);
await browser.close();
await serving.close();
rmSync(parent, { recursive: true, force: true });

/** @param {Look} look */
async function open({ width, height, colorScheme, deviceScaleFactor = 1 }) {
  const viewport = { width, height };
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor,
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
  });
  await context.route('**/api/worlds/**', withNeutralFolder);
  await context.route('**/*.css', withFonts);
  const opened = await context.newPage();
  await opened.goto(serving.newStartUrl());
  await opened.getByLabel('Message').waitFor();
  return opened;
}

/**
 * Waits for the fonts: on a busy machine they arrive late, and the page would keep the system's.
 *
 * @param {import('playwright-core').Route} route
 */
async function withFonts(route) {
  const response = await route.fetch().catch(() => undefined);
  if (response === undefined) return route.abort().catch(() => undefined);
  const body = (await response.text()).replaceAll('font-display:optional', 'font-display:block');
  return route.fulfill({ response, body });
}

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

/** @param {import('playwright-core').Page} page @param {string} path */
async function visit(page, path) {
  await page.goto(`${serving.url}${path}`);
  await page.getByRole('main').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
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

/** @param {string} path @param {string} name */
async function shootCard(path, name) {
  await visit(narrow, path);
  await narrow.getByRole('button', { name: /waiting for you/ }).click();
  const ready = narrow.getByRole('button', { name: 'Approve once', disabled: false });
  await ready.waitFor();
  const card = narrow.locator('section').filter({ has: ready }).last();
  await card.screenshot({ path: join(pictures, `gate-${name}.png`) });
}
