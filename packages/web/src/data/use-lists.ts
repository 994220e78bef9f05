import { readAll } from '@countersign/client';
import type { ListedTool, Person, ProviderStatus, World } from '@countersign/protocol';
import { useClient } from './connection.js';
import { type Read, useRead } from './use-read.js';

// Lists that several pages read. With the same key, they share the data.

export function useWorlds(how: { everyMs?: number } = {}): Read<World[]> {
  const client = useClient();
  const read = (signal: AbortSignal): Promise<World[]> =>
    readAll((after) => client.worlds({ limit: 200, ...after }, { signal }));
  return useRead({ key: ['worlds'], read, ...how });
}

export function useTools(worldId: string): Read<ListedTool[]> {
  const client = useClient();
  const read = (signal: AbortSignal): Promise<ListedTool[]> =>
    readAll((after) => client.tools(worldId, after, { signal }));
  return useRead({ key: ['tools', worldId], read });
}

export function usePeople(): Read<Person[]> {
  const client = useClient();
  return useRead({ key: ['people'], read: (signal) => readAll(() => client.people({ signal })) });
}

export function useProviders(): Read<{ items: readonly ProviderStatus[] }> {
  const client = useClient();
  return useRead({ key: ['providers'], read: (signal) => client.providers({ signal }) });
}
