import type { SearchHit } from '@countersign/protocol';
import { ClientError } from './http/client-error.js';
import type { CallOptions, Client, List } from './http/client.js';
import { readAll } from './http/read-all.js';

export interface WorldHit extends SearchHit {
  readonly worldId: string;
  readonly worldName: string;
}

const NONE: List<SearchHit> = { items: [] };
/** Requests at the same time: each may index the messages of its world first. */
const AT_ONCE = 4;

/** Searches all worlds that the reader may read, newest first. `more`: there are hits beyond the limit. */
export async function searchWorlds(
  client: Client,
  words: string,
  limit: number,
  options: CallOptions = {},
): Promise<{ items: WorldHit[]; more: boolean }> {
  const worlds = await readAll((page) => client.worlds(page, options));
  const found: WorldHit[] = [];
  let more = false;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let world = worlds[next++]; world !== undefined; world = worlds[next++]) {
      const { id: worldId, name: worldName } = world;
      const hits = await client.search(worldId, words, { limit }, options).catch((error: unknown) => {
        // Deleted meanwhile.
        if (error instanceof ClientError && error.status === 404) return NONE;
        throw error;
      });
      more ||= hits.next !== undefined;
      found.push(...hits.items.map((hit) => ({ ...hit, worldId, worldName })));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  found.sort((one, other) => (one.createdAt < other.createdAt ? 1 : one.createdAt > other.createdAt ? -1 : 0));
  return { items: found.slice(0, limit), more: more || found.length > limit };
}
