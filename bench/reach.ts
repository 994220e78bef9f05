import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import type { Postgres } from './postgres.js';
import { startFarm, type Farm } from './postgres-farm.js';
import { createDatabase } from './postgres-turns.js';
import { summarize, type Figures } from './measure.js';
import { withFolder } from './ours.js';

/** From a question, which any of four processes asks in any of 50 worlds. */
export interface ReachResult {
  /** Until a message for a device is at its push service. */
  push: Figures;
  pushP95: number;
  /** Until the call is drawn on an open inbox. Absent without a browser. */
  page?: Figures;
  pageP95?: number;
}

interface PushService {
  readonly host: string;
  readonly route: { ca?: string };
  readonly delivered: readonly { notice: { path: string }; at: number }[];
  device(): object;
  close(): void;
}

const PROCESSES = 4;
const WORLDS = 50;
/** Until each process has loaded all code. */
const WARM_UP = 20;
const webRoot = fileURLToPath(new URL('../../packages/web/dist', import.meta.url));
const JSON_TYPE = { 'content-type': 'application/json' };

const { findChromium } = (await import(script('../../scripts/find-chromium.mjs'))) as {
  findChromium: () => string | undefined;
};
const { buildWeb } = (await import(script('../../scripts/build-web.mjs'))) as { buildWeb: () => boolean };

/** Real server processes on one PostgreSQL, a push service, and a browser. */
export async function reachSuite(rounds: number): Promise<ReachResult> {
  const { startPostgres } = (await import(script('../../packages/server/dist/testing/postgres-server.js'))) as {
    startPostgres: () => Promise<Postgres>;
  };
  const { openPushService } = (await import(script('../../packages/server/dist/testing/push-service.js'))) as {
    openPushService: () => Promise<PushService>;
  };
  if (!buildWeb()) throw new Error('the web app could not be built');
  const postgres = await startPostgres();
  const service = await openPushService();
  const executablePath = findChromium();
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = executablePath === undefined ? undefined : await chromium.launch({ executablePath, args });
  try {
    return await withFolder(async (folder) => {
      const settings = { rules: `send pushes to ${service.host}`, certificate: service.route.ca ?? '', webRoot };
      const farm = await startFarm(await createDatabase(postgres.url), PROCESSES, folder, settings);
      try {
        await subscribe(farm, service.device());
        const page = await browser?.newPage();
        return await measureReach(farm, service, page, rounds);
      } finally {
        await farm.close();
      }
    });
  } finally {
    await browser?.close();
    service.close();
    await postgres.stop();
  }
}

async function measureReach(
  farm: Farm,
  service: PushService,
  page: Page | undefined,
  rounds: number,
): Promise<ReachResult> {
  const worlds: { id: string; chat: string }[] = [];
  while (worlds.length < WORLDS) {
    const { id } = await farm.ask<{ id: string }>(worlds.length, 'POST', '/worlds', { name: `W ${worlds.length}` });
    const agent = { name: 'Clerk', provider: 'stamping', model: 'm', tools: ['*'] };
    await farm.ask(worlds.length, 'POST', `/worlds/${id}/agents`, agent);
    const chat = await farm.ask<{ id: string }>(worlds.length, 'POST', `/worlds/${id}/chats`, {});
    worlds.push({ id, chat: chat.id });
  }
  // Without a world, there is no inbox.
  if (page !== undefined) await openInbox(page, farm);
  const pushed: number[] = [];
  const drawn: number[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const at = Math.floor(Math.random() * PROCESSES);
    const { id, chat } = worlds[Math.floor(Math.random() * WORLDS)] ?? { id: '', chat: '' };
    const key = `letter-${round + WARM_UP}-end`;
    await farm.ask(at, 'POST', `/worlds/${id}/chats/${chat}/messages`, { content: `Please stamp ${key}` });
    const approval = await until(async () => {
      const { items } = await farm.ask<{ items: Asked[] }>(at, 'GET', `/worlds/${id}/approvals`);
      return items.find(({ arguments: given }) => given.key === key);
    });
    const asked = Date.parse(approval.requestedAt);
    const arrived = await until(async () =>
      service.delivered.find(({ notice }) => notice.path.endsWith(approval.approvalId)),
    );
    const shownAt =
      page === undefined ? undefined : await until(() => page.evaluate<number | undefined>(`seen['${key}']`));
    if (round >= 0) {
      pushed.push(arrived.at - asked);
      if (shownAt !== undefined) drawn.push(shownAt - asked);
    }
    const decision = { tool_call_id: approval.approvalId, decision: 'deny', callHash: approval.callHash };
    await farm.ask(at, 'POST', `/worlds/${id}/tool-results`, decision);
    await until(async () => {
      const { status } = await farm.ask<{ status: string }>(at, 'GET', `/worlds/${id}/chats/${chat}`);
      return status === 'idle' ? true : undefined;
    });
  }
  const us = (ms: readonly number[]): number[] => ms.map((each) => each * 1000);
  const figures = { push: summarize(us(pushed)), pushP95: p95(us(pushed)) };
  return page === undefined ? figures : { ...figures, page: summarize(us(drawn)), pageP95: p95(us(drawn)) };
}

interface Asked {
  approvalId: string;
  callHash: string;
  requestedAt: string;
  arguments: { key?: string };
}

/** A person who may sign everywhere, with a device. */
async function subscribe(farm: Farm, device: object): Promise<void> {
  const { id } = await farm.ask<{ id: string }>(0, 'POST', '/people', { name: 'Ann', role: 'approver' });
  const { open } = await farm.ask<{ open: string }>(0, 'POST', `/people/${id}/invitations`);
  const [url = ''] = farm.urls;
  const post = async (path: string, body: object, headers = {}): Promise<Response> =>
    await fetch(`${url}/api${path}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    });
  const opened = await post('/session', { invitation: open.split('=')[1] });
  const { session } = (await opened.json()) as { session: string };
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const added = await post('/me/push', device, { cookie, 'X-Countersign-Session': session });
  if (!added.ok) throw new Error(`the device could not subscribe: ${added.status}`);
}

/** Notes when each letter is on the page. */
const WATCH = `globalThis.seen = {};
  new MutationObserver(() => {
    for (const [key] of document.body.textContent.matchAll(/letter-\\d+-end/g)) seen[key] ??= Date.now();
  }).observe(document, { childList: true, characterData: true, subtree: true });`;

async function openInbox(page: Page, farm: Farm): Promise<void> {
  await page.addInitScript(WATCH);
  const { open } = await farm.ask<{ open: string }>(0, 'POST', '/tickets');
  const start = new URL(open);
  await page.goto(new URL(`/inbox${start.hash}`, start.origin).href);
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 30_000;
  while (Date.now() < end) {
    const found = await look();
    if (found !== undefined && found !== null) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  throw new Error('it did not happen within 30 s');
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

function script(path: string): string {
  return new URL(path, import.meta.url).href;
}
