import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { summarize, type Figures } from './measure.js';
import { withFolder } from './ours.js';
import { startFarm, type Farm } from './postgres-farm.js';

export interface PostgresResult {
  /** Whole turns with one tool each, over HTTP, by the number of processes. */
  turnsPerSecond: { processes: number; perSecond: number }[];
  /** From sending the decision to one process to the first line of the tool, wherever it runs; microseconds. */
  decisionToTool: Figures;
  /** The share of those that ran in another process than the one that was told. */
  elsewhere: number;
  /** What one turn with one tool leaves behind. */
  rowsPerTurn: Record<string, number>;
  bytesPerTurn: number;
  /** A turn when so much is there already; microseconds. */
  growth: { messages: number; chats: number; turn: Figures }[];
}

interface Postgres {
  url: string;
  stop(): Promise<void>;
}

/** The same Countersign over several processes on one PostgreSQL (S4). */
export async function postgresSuite(quick: boolean, large: boolean): Promise<PostgresResult> {
  const { startPostgres } = (await import(
    new URL('../../packages/server/dist/testing/postgres-server.js', import.meta.url).href
  )) as { startPostgres: () => Promise<Postgres> };
  const postgres = await startPostgres();
  try {
    return await withFolder(async (folder) => await measureAll(postgres.url, folder, quick, large));
  } finally {
    await postgres.stop();
  }
}

async function measureAll(server: string, folder: string, quick: boolean, large: boolean): Promise<PostgresResult> {
  const turns = quick ? 60 : 400;
  const turnsPerSecond = [];
  let sizes: Pick<PostgresResult, 'rowsPerTurn' | 'bytesPerTurn'> = { rowsPerTurn: {}, bytesPerTurn: 0 };
  let decisions: Pick<PostgresResult, 'decisionToTool' | 'elsewhere'> = { decisionToTool: summarize([]), elsewhere: 0 };
  for (const processes of [1, 2, 4]) {
    const url = await createDatabase(server);
    const farm = await startFarm(url, processes, join(folder, `farm-${processes}`));
    try {
      const worldId = await createWorld(farm, ['allow stamp']);
      await takeTurns(farm, worldId, Math.ceil(turns / 4), 16);
      const before = await countAll(url);
      const begun = performance.now();
      await takeTurns(farm, worldId, turns, 16);
      turnsPerSecond.push({ processes, perSecond: (turns * 1_000) / (performance.now() - begun) });
      if (processes === 1) sizes = difference(before, await countAll(url), turns);
      if (processes === 4) decisions = await measureDecisions(farm, quick ? 20 : 100);
    } finally {
      await farm.close();
    }
  }
  const growth = await measureGrowth(server, folder, growthSizes(quick, large), quick ? 20 : 100);
  return { turnsPerSecond, ...decisions, ...sizes, growth };
}

function growthSizes(quick: boolean, large: boolean): [messages: number, chats: number][] {
  const sizes: [number, number][] = quick
    ? [
        [0, 0],
        [10_000, 1_000],
      ]
    : [
        [0, 0],
        [10_000, 1_000],
        [100_000, 10_000],
      ];
  return large ? [...sizes, [1_000_000, 100_000]] : sizes;
}

async function createDatabase(server: string): Promise<string> {
  const url = new URL(server);
  const name = `bench_${randomBytes(6).toString('hex')}`;
  await query(server, `create database ${name}`);
  url.pathname = `/${name}`;
  return url.href;
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function createWorld(farm: Farm, policy: readonly string[]): Promise<string> {
  const { id } = await farm.ask<{ id: string }>(0, 'POST', '/worlds', {
    policy,
    name: `Post ${randomBytes(4).toString('hex')}`,
  });
  const agent = { name: 'Clerk', provider: 'stamping', model: 'm', tools: ['*'] };
  await farm.ask(0, 'POST', `/worlds/${id}/agents`, agent);
  return id;
}

/** Turns in several chats at once, each sent to another process; the end of each is heard from one of them. Gives how long each took. */
async function takeTurns(farm: Farm, worldId: string, turns: number, atOnce: number): Promise<number[]> {
  const waiting = new Map<string, () => void>();
  const end = await farm.hearIdle(0, worldId, (chatId) => waiting.get(chatId)?.());
  const times: number[] = [];
  let left = turns;
  const runner = async (index: number): Promise<void> => {
    const { id: chatId } = await farm.ask<{ id: string }>(index, 'POST', `/worlds/${worldId}/chats`);
    for (; left > 0;) {
      left -= 1;
      const begun = performance.now();
      const idle = new Promise<void>((resolve) => waiting.set(chatId, resolve));
      const content = `Please stamp letter-${randomBytes(6).toString('hex')}`;
      await farm.ask(index + left, 'POST', `/worlds/${worldId}/chats/${chatId}/messages`, { content });
      await idle;
      times.push((performance.now() - begun) * 1_000);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => runner(index)));
  end();
  return times;
}

async function measureDecisions(
  farm: Farm,
  rounds: number,
): Promise<Pick<PostgresResult, 'decisionToTool' | 'elsewhere'>> {
  const worldId = await createWorld(farm, []);
  const { id: chatId } = await farm.ask<{ id: string }>(0, 'POST', `/worlds/${worldId}/chats`);
  const times: number[] = [];
  let elsewhere = 0;
  for (let round = 0; round < rounds; round += 1) {
    const key = `letter-${randomBytes(6).toString('hex')}`;
    await farm.ask(round, 'POST', `/worlds/${worldId}/chats/${chatId}/messages`, { content: `Please stamp ${key}` });
    const approval = await until(async () => {
      const found = await farm.ask<{ items: { approvalId: string }[] }>(0, 'GET', `/worlds/${worldId}/approvals`);
      return found.items[0];
    });
    const told = (round + 1) % farm.urls.length;
    const begun = performance.timeOrigin + performance.now();
    const decision = { tool_call_id: approval.approvalId, decision: 'approve' };
    await farm.ask(told, 'POST', `/worlds/${worldId}/tool-results`, decision);
    const stamp = await until(() => Promise.resolve(farm.stampOf(key)));
    times.push((stamp.at - begun) * 1_000);
    if (stamp.pid !== farm.pids[told]) elsewhere += 1;
    await until(async () => {
      const chat = await farm.ask<{ status: string }>(0, 'GET', `/worlds/${worldId}/chats/${chatId}`);
      return chat.status === 'idle' ? chat : undefined;
    });
  }
  return { decisionToTool: summarize(times), elsewhere: elsewhere / rounds };
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  throw new Error('it did not come within 30 s');
}

interface Counted {
  rows: Record<string, number>;
  bytes: number;
}

async function countAll(url: string): Promise<Counted> {
  const tables = await query<{ name: string }>(
    url,
    `select table_name as name from information_schema.tables where table_schema = 'countersign' order by 1`,
  );
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [found] = await query<{ n: number }>(url, `select count(*)::int as n from countersign."${name}"`);
    rows[name] = found?.n ?? 0;
  }
  await query(url, 'vacuum full');
  const [size] = await query<{ bytes: string }>(
    url,
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'countersign' and c.relkind = 'r'`,
  );
  return { rows, bytes: Number(size?.bytes ?? 0) };
}

function difference(
  before: Counted,
  after: Counted,
  turns: number,
): Pick<PostgresResult, 'rowsPerTurn' | 'bytesPerTurn'> {
  const perTurn = Object.entries(after.rows).map(
    ([name, count]) => [name, Math.round(((count - (before.rows[name] ?? 0)) / turns) * 10) / 10] as const,
  );
  return {
    rowsPerTurn: Object.fromEntries(perTurn.filter(([, count]) => count > 0)),
    bytesPerTurn: Math.round((after.bytes - before.bytes) / turns),
  };
}

async function measureGrowth(
  server: string,
  folder: string,
  sizes: readonly [messages: number, chats: number][],
  turns: number,
): Promise<PostgresResult['growth']> {
  const growth = [];
  for (const [messages, chats] of sizes) {
    const url = await createDatabase(server);
    const farm = await startFarm(url, 1, join(folder, `growth-${messages}`));
    try {
      const worldId = await createWorld(farm, ['allow stamp']);
      await prefill(url, worldId, messages, chats);
      await takeTurns(farm, worldId, 10, 1);
      growth.push({ messages, chats, turn: summarize(await takeTurns(farm, worldId, turns, 1)) });
    } finally {
      await farm.close();
    }
  }
  return growth;
}

/** Chats of other people in the same world, each with as many messages, their events and their ended turns. */
async function prefill(url: string, worldId: string, messages: number, chats: number): Promise<void> {
  if (messages === 0) return;
  const each = messages / chats;
  await query(
    url,
    `insert into countersign.chats (id, world_id, title, titled, status, last_seq, human_seq, created_at)
     select 'chat_old_' || c, $1, 'An old chat', 1, 'idle', $3, $3, 1000 from generate_series(1, $2::int) c`,
    [worldId, chats, each],
  );
  await query(
    url,
    `insert into countersign.messages
       (id, world_id, chat_id, seq, role, sender, speaker, content, addressees, created_at)
     select 'msg_old_' || c || '_' || m, $1, 'chat_old_' || c, m, 'user', 'human', 'human',
       'Something that was said a while ago, as long as things are that people say.', '[]', 1000
     from generate_series(1, $2::int) c, generate_series(1, $3::int) m`,
    [worldId, chats, each],
  );
  await query(
    url,
    `insert into countersign.events (world_id, id, chat_id, event, message_id, at)
     select $1, row_number() over () + (select event_seq from countersign.worlds where id = $1), chat_id, 'message', id, 1000
     from countersign.messages where id like 'msg_old_%'`,
    [worldId],
  );
  await query(url, `update countersign.worlds set event_seq = event_seq + $2::bigint where id = $1`, [
    worldId,
    messages,
  ]);
  await query(url, 'analyze');
}
