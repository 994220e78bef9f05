import type { WorldEvent } from '@countersign/protocol';
import type { Client, PageQuery } from './client.js';
import { openFeed } from './feed.js';
import { openChatOn, type OpenChatOptions } from './open-chat.js';
import { openView, readAll, type Refetch } from './open-view.js';
import { emptyWorld, reduceWorld, type WorldAction } from './reduce-world.js';
import type { WorldStore } from './store.js';

/** A live view of a world: its agents and chats, and what waits for a person in any of them. One stream serves it and its chats. */
export function openWorldView(client: Client, world: string): WorldStore {
  const feed = openFeed(client, world);
  const view = openView<ReturnType<typeof emptyWorld>, WorldAction>({
    client,
    feed,
    initial: emptyWorld(world),
    reduce: reduceWorld,
    load: async (position, _state, signal) => {
      const [shown, agents, chats, approvals] = await Promise.all([
        client.world(world, { signal }),
        readAll((after) => client.agents(world, pageAfter(after), { signal })),
        readAll((after) => client.chats(world, pageAfter(after), { signal })),
        readAll((after) => client.approvals(world, pageAfter(after), { signal })),
      ]);
      return { type: 'loaded', position, world: shown.value, agents, chats, approvals };
    },
    refetch: (event) => refetch(client, world, event),
  });
  return {
    getState: view.getState,
    subscribe: view.subscribe,
    retryNow: () => feed.retryNow(),
    openChat: (chat, options: OpenChatOptions = {}) => openChatOn(feed, client, world, chat, options),
    close() {
      view.close();
      feed.close();
    },
  };
}

function pageAfter(after: string | undefined): PageQuery {
  return after === undefined ? {} : { after };
}

function refetch(client: Client, world: string, heard: WorldEvent): Refetch<WorldAction> | undefined {
  if (heard.event !== 'crud' || heard.data.operation === 'delete') return undefined;
  const { entity, id } = heard.data;
  switch (entity) {
    case 'world':
      return {
        name: 'world',
        fetch: async (signal) => ({ type: 'world', world: (await client.world(world, { signal })).value }),
      };
    case 'agent':
      return {
        name: 'agents',
        fetch: async (signal) => ({
          type: 'agents',
          agents: await readAll((after) => client.agents(world, pageAfter(after), { signal })),
        }),
      };
    case 'chat':
      return {
        name: `chat ${id}`,
        fetch: async (signal) => ({ type: 'chat', chat: await client.chat(world, id, { signal }) }),
      };
    case 'grant':
    case 'policy':
    case 'client':
    case 'tool':
    case 'mcp-server':
    case 'approval':
      return undefined;
  }
}
