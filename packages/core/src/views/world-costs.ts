import type { Cost } from '@countersign/protocol';
import type { Runtime } from '../step/runtime.js';
import { readChat, readWorld } from '../worlds/show-world.js';

const DAY_MS = 86_400_000;
const DAYS = 30;

/** The tokens and costs of each agent and day (MODEL3.1): of a chat, or of a world's last 30 days, today included. */
export async function worldCosts(runtime: Runtime, worldId: string, chatId?: string): Promise<Cost[]> {
  const found =
    chatId === undefined
      ? await readWorld(runtime, worldId, (reader) => {
          const since = (Math.floor(reader.now() / DAY_MS) - DAYS + 1) * DAY_MS;
          return reader.costs(worldId, { chatId: null, since });
        })
      : await readChat(runtime, worldId, chatId, (reader) => reader.costs(worldId, { chatId, since: 0 }));
  return found.map(({ day, ...cost }) => ({ ...cost, day: new Date(day * DAY_MS).toISOString().slice(0, 10) }));
}
