import { join } from 'node:path';
import { addAgent, createChat, createWorld, pageApprovals, publishMessage } from '@countersign/core';
import { serve, type Serving } from '@countersign/server';
import { defineTool, type Provider } from 'countersign';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { z } from 'zod';
import { summarize, type Figures } from './measure.js';
import { AGENT, withFolder } from './ours.js';
import { buildWeb, findChromium, webRoot } from './page.js';
import { ANSWER, USAGE } from './script.js';

export interface InboxResult {
  waiting: number;
  /** From the request for the page until the list and the first card are drawn, with a warm cache. */
  opens: Figures;
  /** The most rows in the page while scrolling through all calls. */
  rows: number;
  /** The longest task of the page meanwhile, and its CPU time, which other load doesn't affect. */
  longestTask: { ms: number; cpuMs: number };
  /** From the confirmation until all 200 calls are decided; CPU time of the server and the page. */
  together: { ms: number; cpuMs: number };
  /** From the key that approves to the first frame with the next card. */
  nextCard: Figures;
  /** Thirty cards by keyboard, with the protected first second of each. */
  thirtyCardsMs: number;
}

const WORLDS = 5;
/** As many as may wait for one agent (CALL19). */
const PER_WORLD = 200;
/** One response contains at most 64 calls. */
const PER_CHAT = 50;
const TOGETHER = 200;
const CARDS = 30;
const SIGNER = { who: { kind: 'person', id: 'human', name: 'human' }, via: 'bench' } as const;

/** Twice as many alike calls would be folded into a group. */
const TOOLS = PER_WORLD / 2;
const tools = Array.from({ length: TOOLS }, (_, at) =>
  defineTool({
    name: `book_${at}`,
    description: 'Books a room.',
    parameters: z.object({ city: z.string() }),
    approval: { required: true },
    execute: () => 'booked',
  }),
);

/** Each message says from which tool on fifty calls are requested. */
const provider: Provider = {
  name: AGENT.provider,
  generate: async ({ messages, purpose }) => {
    const { role, content = '' } = messages.at(-1) ?? {};
    const from = Number(/\d+$/.exec(content)?.[0]);
    if (purpose !== 'answer' || role !== 'user') return { type: 'text', content: ANSWER, usage: USAGE };
    const calls = Array.from({ length: PER_CHAT }, (_, at) => call(from + at));
    return { type: 'tool_calls', content: '', usage: USAGE, tool_calls: calls };
  },
};

function call(at: number) {
  const text = JSON.stringify({ city: `Lisbon ${at}` });
  return { id: `call-${at}`, type: 'function' as const, function: { name: `book_${at % TOOLS}`, arguments: text } };
}

/** What people do in an inbox with a thousand waiting calls. Undefined if there is no browser. */
export async function inboxSuite(rounds: number): Promise<InboxResult | undefined> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    console.warn('No Chromium was found: the inbox is not measured.');
    return undefined;
  }
  if (!buildWeb()) throw new Error('the web app could not be built');
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  try {
    return await withFolder(async (folder) => {
      const ignore = (): void => undefined;
      const log = { info: ignore, warn: ignore, error: ignore };
      const home = join(folder, 'home');
      const serving = await serve({
        home,
        env: {},
        port: 0,
        version: 'bench',
        log,
        webRoot,
        providers: [provider],
        tools,
      });
      try {
        await fill(serving);
        return await measureInbox(browser, serving, rounds);
      } finally {
        await serving.close();
      }
    });
  } finally {
    await browser.close();
  }
}

async function fill({ home }: Serving): Promise<void> {
  const { runtime } = home.engine;
  for (let at = 0; at < WORLDS; at += 1) {
    const { id: worldId } = await createWorld(runtime, { name: `bench ${at}`, streaming: false }, SIGNER);
    await addAgent(runtime, worldId, { ...AGENT, tools: ['*'] }, SIGNER);
    for (let waiting = 0; waiting < PER_WORLD; waiting += PER_CHAT) {
      const { id: chatId } = await createChat(runtime, worldId, `bench ${waiting}`);
      await publishMessage(runtime, { worldId, chatId, speaker: 'human', content: `Book from ${waiting}` });
      const count = async (): Promise<number> =>
        (await pageApprovals(runtime, worldId, { status: 'pending', limit: PER_WORLD })).items.length;
      const latest = Date.now() + 60_000;
      while ((await count()) < waiting + PER_CHAT) {
        if (Date.now() > latest) throw new Error(`only ${await count()} calls wait in ${worldId}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}

async function measureInbox(browser: Browser, serving: Serving, rounds: number): Promise<InboxResult> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const inbox = `${serving.url}/inbox`;
  const isDrawn = async (): Promise<void> => {
    await page.locator('[data-index]').first().waitFor();
    await page.locator('[data-call]').first().waitFor();
  };
  await page.goto(`${inbox}${new URL(serving.newStartUrl()).hash}`);
  await isDrawn();
  const opens = [];
  for (let i = 0; i < rounds; i += 1) {
    const start = performance.now();
    await page.goto(inbox, { waitUntil: 'commit' });
    await isDrawn();
    opens.push((performance.now() - start) * 1000);
  }
  const scrolled = await scrollThrough(browser, page);
  const together = await decideTogether(page);
  await page.reload();
  await isDrawn();
  const { nextCard, thirtyCardsMs } = await decideByKeyboard(page);
  await context.close();
  return { waiting: WORLDS * PER_WORLD, opens: summarize(opens), ...scrolled, together, nextCard, thirtyCardsMs };
}

/** Scrolls to the end until everything is loaded. */
async function scrollThrough(browser: Browser, page: Page): Promise<Pick<InboxResult, 'rows' | 'longestTask'>> {
  await page.evaluate('globalThis.most = 0');
  await browser.startTracing(page, { categories: ['toplevel'] });
  await page.evaluate(`(async () => {
    const area = document.querySelector('[data-index]').closest('.overflow-y-auto');
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const isMore = () => [...area.querySelectorAll('button')].some(({ textContent }) => textContent === 'Show more');
    for (let before = -1; before !== area.scrollTop || isMore(); ) {
      before = area.scrollTop;
      area.scrollTop += 150;
      await frame();
      most = Math.max(most, document.querySelectorAll('[data-index]').length);
    }
  })()`);
  const length = await page.locator('[data-index]').last().getAttribute('aria-setsize');
  if (Number(length) < WORLDS * PER_WORLD) throw new Error(`only ${length} rows were loaded`);
  return { rows: await page.evaluate<number>('most'), longestTask: longest(await browser.stopTracing()) };
}

interface TraceEvent {
  name: string;
  tid: number;
  pid: number;
  /** Wall and CPU time, in microseconds. */
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

/** The longest task of the pages' main threads. */
function longest(trace: Buffer): InboxResult['longestTask'] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && main.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('the trace contains no tasks');
  return {
    ms: Math.max(...tasks.map(({ dur = 0 }) => dur)) / 1000,
    cpuMs: Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000,
  };
}

/** CPU time of this process, which is the server, and of the page's main thread since it was opened. */
async function cpuMs(session: CDPSession): Promise<number> {
  const { user, system } = process.cpuUsage();
  const { metrics } = await session.send('Performance.getMetrics');
  return (user + system) / 1000 + (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

async function decideTogether(page: Page): Promise<InboxResult['together']> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await session.send('Performance.enable');
  await page.getByLabel(/^Select (all|the first)/).check();
  await page.getByRole('button', { name: `Approve ${TOGETHER}…` }).click();
  const confirm = page.getByRole('button', { name: `Approve these ${TOGETHER} calls once` });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('group', { name: 'Details' }).press('End');
  await confirm.and(page.locator(':enabled')).waitFor();
  // A locator would search the whole page in each frame meanwhile.
  await page.evaluate(`void (globalThis.isDecided = new Promise((resolve) => {
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('dialog [role=status]'))
        if (textContent === '${TOGETHER} of ${TOGETHER} decided.') resolve();
    }).observe(document, { childList: true, characterData: true, subtree: true });
  }))`);
  const used = await cpuMs(session);
  const start = performance.now();
  await confirm.click();
  await page.evaluate('isDecided');
  const took = { ms: performance.now() - start, cpuMs: (await cpuMs(session)) - used };
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  return took;
}

async function decideByKeyboard(page: Page): Promise<Pick<InboxResult, 'nextCard' | 'thirtyCardsMs'>> {
  await page.evaluate(`
    globalThis.taken = [];
    addEventListener('keydown', ({ key }) => {
      if (key !== 'o') return;
      const start = performance.now();
      const before = document.querySelector('[data-call]')?.textContent;
      const look = () => {
        const now = document.querySelector('[data-call]')?.textContent;
        if (now !== undefined && now !== before) taken.push(performance.now() - start);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { capture: true });
  `);
  const ready = page.getByRole('button', { name: 'Approve once', exact: true }).and(page.locator(':enabled'));
  await page.keyboard.press('Alt+n');
  const start = performance.now();
  for (let card = 1; card <= CARDS; card += 1) {
    await ready.waitFor();
    await page.keyboard.press('o');
    // The content security policy of the page forbids `waitForFunction` with text.
    while ((await page.evaluate<number>('taken.length')) < card) await page.waitForTimeout(20);
  }
  const thirtyCardsMs = performance.now() - start;
  const taken = await page.evaluate<number[]>('taken');
  return { nextCard: summarize(taken.map((ms) => ms * 1000)), thirtyCardsMs };
}
