import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Client } from '@countersign/client';
import { CountersignError } from '@countersign/protocol';
import { serve } from '@countersign/server';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { isFullSize, itAtFullSize, scaled } from '../support/scaled.js';
import { startPostgres, type PostgresServer } from '../support/postgres-server.js';
import { openDatabaseProxy } from './database-proxy.js';
import { createFarm, type RunningServer, type ServerFarm } from './servers-fixture.js';
import { soak } from './soak-run.js';
import { unfinished } from './unfinished.js';

/** How long a process stays frozen after others have taken over; `npm run soak` sets thirty seconds. */
const FREEZE_MS = Number(process.env['SOAK_FREEZE_MS'] ?? 0);

interface Turn {
  key: string;
  chatId: string;
  messageId: string;
  pid: number;
}

async function prepare(client: Client): Promise<string> {
  const { id } = await client.createWorld({ name: 'Post' });
  await client.createAgent(id, { name: 'Clerk', provider: 'stamping', model: 'm', tools: ['*'] });
  return id;
}

const AN_HOUR_MS = 3_600_000;

let postgres: PostgresServer;
let proxy: Awaited<ReturnType<typeof openDatabaseProxy>>;
let farm: ServerFarm;
beforeAll(async () => {
  postgres = await startPostgres();
  proxy = await openDatabaseProxy(postgres.url);
  farm = createFarm(postgres.url, 4);
});
afterAll(async () => {
  await farm.close();
  proxy.close();
  await postgres.stop();
});

/** A turn whose approved tool keeps running in this client's process. */
async function openTurn(client: Client, worldId: string, key: string, ms = AN_HOUR_MS): Promise<Turn> {
  const { id: chatId } = await client.createChat(worldId);
  const { messageId } = await client.send(worldId, chatId, { content: `Please stamp ${key} for ${ms} ms` });
  const approval = await expect
    .poll(async () => (await client.approvals(worldId, { chat: chatId })).items[0])
    .toBeDefined()
    .then(async () => (await client.approvals(worldId, { chat: chatId })).items[0]);
  if (approval === undefined) throw new Error(`nobody asked about ${key}`);
  await client.decide(worldId, approval, { decision: 'approve' });
  await expect.poll(() => farm.stampedBy(key)).toBeDefined();
  return { key, chatId, messageId, pid: farm.stampedBy(key) ?? 0 };
}

async function answersTo(client: Client, worldId: string, { chatId, messageId }: Turn): Promise<string[]> {
  const { items } = await client.messages(worldId, chatId);
  return items
    .filter(
      ({ role, tool_calls, replyToMessageId }) => role === 'assistant' && !tool_calls && replyToMessageId === messageId,
    )
    .map(({ content }) => content);
}

// All three at once. In a small run, the soak kills processes, and `postgres-frozen` and `postgres-lost-answers` have the other two.
itAtFullSize(
  '[STORE4.1] [STORE3] others take over from a process that is killed, frozen or disconnected, and if it comes back, it can neither write nor run anything',
  async () => {
    try {
      const starts = [0, 1, 2, 3].map((index) => farm.start(index, index === 2 ? { databaseUrl: proxy.url } : {}));
      const servers = await Promise.all(starts);
      const [killed, frozen, cut, healthy] = servers as [RunningServer, RunningServer, RunningServer, RunningServer];
      const { client } = healthy;
      const worldId = await prepare(client);
      const asked = [...servers, ...servers];
      const turns = await Promise.all(
        asked.map((server, index) => openTurn(server.client, worldId, `letter-${index}`)),
      );
      expect(turns.map(({ pid }) => pid)).toEqual(asked.map(({ pid }) => pid));
      const lost = turns.filter(({ pid }) => pid !== healthy.pid);
      const kept = turns.filter(({ pid }) => pid === healthy.pid);

      const startedAt = performance.now();
      killed.signal('SIGKILL');
      frozen.signal('SIGSTOP');
      proxy.cut();
      const answers = (of: readonly Turn[]) => Promise.all(of.map((turn) => answersTo(client, worldId, turn)));
      const unknown = ['Done, stamped: false'];
      await expect.poll(() => answers(lost), { interval: 100 }).toEqual(lost.map(() => unknown));
      // Reported, not asserted: it depends on the load of the machine. `membership` tests the timeouts.
      process.stdout.write(`takeover of ${lost.length} turns: ${Math.round(performance.now() - startedAt)} ms\n`);
      await after(FREEZE_MS);

      frozen.signal('SIGCONT');
      proxy.restore();
      for (const back of [frozen, cut]) {
        const isReady = async (): Promise<string> =>
          (await back.client.health().catch(() => ({ status: 'no' }))).status;
        await expect.poll(isReady).toBe('ok');
        // The process works again, and the turns that it lost stay lost.
        const again = await openTurn(back.client, worldId, `letter-again-${back.pid}`, 1);
        await expect.poll(() => answersTo(back.client, worldId, again)).toEqual(['Done, stamped: true']);
      }
      expect(await answers(lost)).toEqual(lost.map(() => unknown));
      expect(await answers(kept)).toEqual(kept.map(() => []));
      expect([...farm.stamps().values()].every((runs) => runs === 1)).toBe(true);
    } catch (error) {
      throw new Error(`${String(error)}\nThe servers said: ${farm.errors()}`, { cause: error });
    }
  },
  240_000 + FREEZE_MS,
);

it('[STORE7] the database restarts during work, and work continues', async () => {
  try {
    // At full size, those of the test before are running, except the one that was killed.
    const missing = (isFullSize ? [1, 2, 3] : [1, 2]).filter((index) => farm.servers[index] === undefined);
    await Promise.all(missing.map((index) => farm.start(index)));
    const before = farm.stamps().size;
    const turns = scaled(12, 4);
    const soaking = soak(farm, { turns, chats: turns / 2, killEveryMs: 0, limitMs: 240_000 });
    const restarting = (async () => {
      await expect.poll(() => farm.stamps().size).toBeGreaterThan(before + 1);
      await postgres.restart();
    })();
    const [report] = await Promise.all([soaking, restarting]);
    expect(report.turns).toBe(turns);
  } catch (error) {
    const left = await unfinished(postgres.url).catch(String);
    throw new Error(`${String(error)}\nUnfinished: ${left}\nThe servers said: ${farm.errors()}`, { cause: error });
  }
}, 300_000);

// The last one: the server stays a standby.
it('[STORE7] a server explains in one sentence that its database is a standby, and exits before it listens', async () => {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  await client.end();
  // With this file, PostgreSQL runs as a standby.
  writeFileSync(join(rows[0]?.data_directory ?? '', 'standby.signal'), '', { mode: 0o644 });
  await postgres.restart();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const quiet = (): void => undefined;
  const log = { info: quiet, warn: quiet, error: quiet };
  const sandbox = { kind: 'none', reason: 'no command runs here' } as const;
  const env = { DATABASE_URL: postgres.url };
  const failed: unknown = await serve({ home: join(folder, 'home'), env, log, port: 0, version: 'test', sandbox }).then(
    async (serving) => await serving.close(),
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(CountersignError);
  const { message } = failed as CountersignError;
  expect(message).toContain('is a standby, which is read-only');
  expect(message).not.toContain('\n');
  expect(message).not.toContain(new URL(postgres.url).password);
});
