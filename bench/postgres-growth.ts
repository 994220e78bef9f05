import { join } from 'node:path';
import { summarize, type Figures } from './measure.js';
import { cpuOf, databasePids, spent } from './postgres-cpu.js';
import { startFarm, type Farm } from './postgres-farm.js';
import { prefill } from './postgres-prefill.js';
import { query } from './postgres-query.js';
import { createDatabase, createWorld, takeTurns } from './postgres-turns.js';

/** The operations measured at each size. */
export const GROWING = ['turn', 'send', 'chats', 'messages', 'search rare', 'search common', 'approvals'] as const;

export interface Growth {
  messages: number;
  chats: number;
  fillSeconds: number;
  /** In microseconds, over HTTP. */
  took: Record<(typeof GROWING)[number], Cost>;
}

/** Also counts the blocks that the database read, which don't depend on other load. */
type Cost = Figures & { blocks: number };

export async function measureGrowth(
  server: string,
  folder: string,
  sizes: readonly [messages: number, chats: number][],
  rounds: number,
): Promise<Growth[]> {
  const growth: Growth[] = [];
  for (const [messages, chats] of sizes) {
    const url = await createDatabase(server);
    await query(url, 'create extension pg_stat_statements schema public');
    const farm = await startFarm(url, 1, join(folder, `growth-${messages}`));
    try {
      const worldId = await createWorld(farm, ['allow stamp']);
      const startedAt = performance.now();
      await prefill(url, worldId, messages, chats);
      const fillSeconds = (performance.now() - startedAt) / 1_000;
      growth.push({ messages, chats, fillSeconds, took: await measureAt(url, farm, worldId, rounds, messages > 0) });
    } finally {
      await farm.close();
    }
  }
  return growth;
}

async function measureAt(
  url: string,
  farm: Farm,
  worldId: string,
  rounds: number,
  isFilled: boolean,
): Promise<Growth['took']> {
  /** Includes the CPU time of server and database, which is more reliable than wall time on a shared machine. */
  const measured = async (work: () => Promise<number[]>): Promise<Cost> => {
    const used = async (): Promise<Map<number, number>> => cpuOf([...farm.pids, ...(await databasePids(url))]);
    await query(url, 'select pg_stat_statements_reset()');
    const before = await used();
    const times = await work();
    const figures = summarize(times, spent(before, await used()) * 1_000);
    const [looked] = await query<{ blocks: number }>(
      url,
      `select sum(shared_blks_hit + shared_blks_read)::float8 as blocks from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat%'`,
    );
    return { ...figures, blocks: (looked?.blocks ?? 0) / times.length };
  };
  const time = async (ask: (round: number) => Promise<unknown>): Promise<Cost> => {
    for (let round = 0; round < 5; round += 1) await ask(round);
    return await measured(async () => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const startedAt = performance.now();
        await ask(round);
        times.push((performance.now() - startedAt) * 1_000);
      }
      return times;
    });
  };
  await takeTurns(farm, [worldId], 20, 1);
  const turn = await measured(() => takeTurns(farm, [worldId], rounds, 1));
  const { id: chatId } = await farm.ask<{ id: string }>(0, 'POST', `/worlds/${worldId}/chats`);
  const old = isFilled ? 'chat_old_7' : chatId;
  const get = (path: string) => (): Promise<unknown> => farm.ask(0, 'GET', `/worlds/${worldId}${path}`);
  return {
    turn,
    // The message is addressed to people, so no agent answers.
    send: await time((round) =>
      farm.ask(0, 'POST', `/worlds/${worldId}/chats/${chatId}/messages`, { content: `@human note ${round}` }),
    ),
    chats: await time(get('/chats?limit=50')),
    messages: await time(get(`/chats/${old}/messages?limit=50`)),
    'search rare': await time(get('/search?q=letter777%20people')),
    'search common': await time(get('/search?q=conversation')),
    approvals: await time(get('/approvals')),
  };
}
