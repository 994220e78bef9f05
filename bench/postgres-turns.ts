import { randomBytes } from 'node:crypto';
import type { Farm } from './postgres-farm.js';
import { query } from './postgres-query.js';

export async function createDatabase(server: string): Promise<string> {
  const url = new URL(server);
  const name = `bench_${randomBytes(6).toString('hex')}`;
  await query(server, `create database ${name}`);
  url.pathname = `/${name}`;
  return url.href;
}

export async function createWorld(farm: Farm, policy: readonly string[]): Promise<string> {
  const { id } = await farm.ask<{ id: string }>(0, 'POST', '/worlds', {
    policy,
    name: `Post ${randomBytes(4).toString('hex')}`,
  });
  const agent = { name: 'Clerk', provider: 'stamping', model: 'm', tools: ['*'] };
  await farm.ask(0, 'POST', `/worlds/${id}/agents`, agent);
  return id;
}

/**
 * Runs concurrent turns in several chats, sending each message to a different process; one process reports when they end. Returns how long each
 * took.
 */
export async function takeTurns(
  farm: Farm,
  worldIds: readonly string[],
  turns: number,
  atOnce: number,
): Promise<number[]> {
  const waiting = new Map<string, () => void>();
  const ends = await Promise.all(
    worldIds.map((worldId, index) => farm.hearIdle(index, worldId, (chatId) => waiting.get(chatId)?.())),
  );
  const times: number[] = [];
  let left = turns;
  const runner = async (index: number): Promise<void> => {
    const worldId = worldIds[index % worldIds.length] ?? '';
    const { id: chatId } = await farm.ask<{ id: string }>(index, 'POST', `/worlds/${worldId}/chats`);
    for (; left > 0;) {
      left -= 1;
      const startedAt = performance.now();
      const idle = new Promise<void>((resolve) => waiting.set(chatId, resolve));
      const content = `Please stamp letter-${randomBytes(6).toString('hex')}`;
      await farm.ask(index + left, 'POST', `/worlds/${worldId}/chats/${chatId}/messages`, { content });
      await idle;
      times.push((performance.now() - startedAt) * 1_000);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => runner(index)));
  for (const end of ends) end();
  return times;
}
