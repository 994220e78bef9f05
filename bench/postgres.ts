import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { summarize, type Figures } from './measure.js';
import { withFolder } from './ours.js';
import { cpuOf, databasePids, spent } from './postgres-cpu.js';
import { startFarm, type Farm } from './postgres-farm.js';
import { measureGrowth, type Growth } from './postgres-growth.js';
import { query } from './postgres-query.js';
import { createDatabase, createWorld, takeTurns } from './postgres-turns.js';

/** Whole turns with one tool each, over HTTP. */
interface Throughput {
  processes: number;
  worlds: number;
  perSecond: number;
  /** CPU time per turn in all servers and in the database, in milliseconds. Other load doesn't affect it. */
  serverCpuMs: number;
  databaseCpuMs: number;
  /** The total number of database statements. */
  statements: number;
}

export interface PostgresResult {
  turnsPerSecond: Throughput[];
  /** From sending the decision to one process until the first line of the tool runs, in any process; in microseconds. */
  decisionToTool: Figures;
  /** The share of tools that ran in a different process than the one that got the decision. */
  elsewhere: number;
  /** The rows that one turn with one tool adds. */
  rowsPerTurn: Record<string, number>;
  bytesPerTurn: number;
  /** Costs at each size. */
  growth: Growth[];
}

export interface Postgres {
  url: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Several processes on one PostgreSQL database (STORE4). */
export async function postgresSuite(quick: boolean, large: boolean): Promise<PostgresResult> {
  const { startPostgres } = (await import(
    new URL('../../packages/server/dist/testing/postgres-server.js', import.meta.url).href
  )) as { startPostgres: () => Promise<Postgres> };
  const postgres = await startPostgres();
  try {
    await query(postgres.url, `alter system set shared_preload_libraries = 'pg_stat_statements'`);
    // As on a small machine; the defaults are very low.
    await query(postgres.url, `alter system set shared_buffers = '512MB'`);
    await query(postgres.url, `alter system set max_wal_size = '4GB'`);
    await postgres.restart();
    return await withFolder(async (folder) => await measureAll(postgres.url, folder, quick, large));
  } finally {
    await postgres.stop();
  }
}

async function measureAll(server: string, folder: string, quick: boolean, large: boolean): Promise<PostgresResult> {
  const turns = quick ? 60 : 400;
  const turnsPerSecond: Throughput[] = [];
  let sizes: Pick<PostgresResult, 'rowsPerTurn' | 'bytesPerTurn'> = { rowsPerTurn: {}, bytesPerTurn: 0 };
  let decisions: Pick<PostgresResult, 'decisionToTool' | 'elsewhere'> = { decisionToTool: summarize([]), elsewhere: 0 };
  for (const [processes, worlds] of [
    [1, 1],
    [2, 1],
    [4, 1],
    [1, 4],
    [2, 4],
    [4, 4],
  ] as const) {
    const url = await createDatabase(server);
    await query(url, 'create extension pg_stat_statements schema public');
    const farm = await startFarm(url, processes, join(folder, `farm-${processes}-${worlds}`));
    try {
      const worldIds: string[] = [];
      for (let made = 0; made < worlds; made += 1) worldIds.push(await createWorld(farm, ['allow stamp']));
      await takeTurns(farm, worldIds, turns, 16);
      const isFirst = turnsPerSecond.length === 0;
      const before = isFirst ? await countAll(url) : undefined;
      turnsPerSecond.push({ processes, worlds, ...(await measureTurns(url, farm, worldIds, turns)) });
      if (before !== undefined) sizes = difference(before, await countAll(url), turns);
      if (processes === 4 && worlds === 1) decisions = await measureDecisions(farm, quick ? 20 : 100);
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

async function measureTurns(
  url: string,
  farm: Farm,
  worldIds: readonly string[],
  turns: number,
): Promise<Omit<Throughput, 'processes' | 'worlds'>> {
  await query(url, 'select pg_stat_statements_reset()');
  const servers = cpuOf(farm.pids);
  const database = cpuOf(await databasePids(url));
  const startedAt = performance.now();
  await takeTurns(farm, worldIds, turns, 16);
  const perSecond = (turns * 1_000) / (performance.now() - startedAt);
  const [asked] = await query<{ n: number }>(
    url,
    `select sum(calls)::float8 as n from pg_stat_statements
     where toplevel and dbid = (select oid from pg_database where datname = current_database())`,
  );
  return {
    perSecond,
    serverCpuMs: spent(servers, cpuOf(farm.pids)) / turns,
    databaseCpuMs: spent(database, cpuOf(await databasePids(url))) / turns,
    statements: (asked?.n ?? 0) / turns,
  };
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
    const startedAt = performance.timeOrigin + performance.now();
    const decision = { tool_call_id: approval.approvalId, decision: 'approve' };
    await farm.ask(told, 'POST', `/worlds/${worldId}/tool-results`, decision);
    const stamp = await until(() => Promise.resolve(farm.stampOf(key)));
    times.push((stamp.at - startedAt) * 1_000);
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
  throw new Error('timed out after 30 s');
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
