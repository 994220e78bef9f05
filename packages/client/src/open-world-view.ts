import type { WorldEvent } from '@countersign/protocol';
import type { Client } from './http/client.js';
import { openFeed } from './feed.js';
import { openChatOn } from './open-chat.js';
import { openView, type Refetch } from './open-view.js';
import { readAll } from './http/read-all.js';
import { readReader } from './state/reader.js';
import { refetchNeeds, unreadNeeds } from './state/refetch-needs.js';
import { emptyWorld, reduceWorld, type WorldAction } from './state/reduce-world.js';
import type { OpenChatOptions, WorldStore } from './store.js';

/** If fewer approvals than this are loaded, the next page is loaded. */
const FEW = 50;

/** A live view of a world: its agents, chats and all pending approvals. It shares one stream with its chats. */
export function openWorldView(client: Client, world: string): WorldStore {
  const feed = openFeed(client, world);
  /** Ids are never reused. A response that was in flight when its chat was deleted must not restore the chat. */
  const deleted = new Set<string>();
  const view = openView<ReturnType<typeof emptyWorld>, WorldAction>({
    client,
    feed,
    initial: emptyWorld(world),
    reduce: reduceWorld,
    load: async (position, _state, signal) => {
      const [shown, agents, chats, approvals, me] = await Promise.all([
        client.world(world, { signal }),
        readAll((after) => client.agents(world, after, { signal })),
        readAll((after) => client.chats(world, after, { signal })),
        client.approvals(world, {}, { signal }),
        readReader(client, world, { signal }),
      ]);
      return { type: 'loaded', position, world: shown.value, agents, chats, approvals, me };
    },
    refetch: (event) => refetch(client, world, deleted, event),
  });
  let isLoading = false;

  async function loadLaterApprovals(): Promise<void> {
    const { laterApprovals: after } = view.getState();
    if (after === undefined || isLoading) return;
    isLoading = true;
    await view.fetch({
      name: 'later approvals',
      fetch: async (signal) => {
        const { items, next } = await client.approvals(world, { after }, { signal });
        const kept = items.filter(({ chatId }) => !deleted.has(chatId));
        return { type: 'later-approvals', after, approvals: { items: kept, ...(next === undefined ? {} : { next }) } };
      },
    });
    isLoading = false;
    // Skip this if the server rejected the request: the next change retries.
    if (view.getState().laterApprovals !== after) refill();
  }

  /** Loads more before a person who decides quickly runs out of loaded approvals. */
  function refill(): void {
    if (view.getState().queue.length < FEW) void loadLaterApprovals();
  }

  const stopRefilling = view.subscribe(refill);
  return {
    getState: view.getState,
    subscribe: view.subscribe,
    retryNow: () => feed.retryNow(),
    loadLaterApprovals,
    openChat: (chat, options: OpenChatOptions = {}) => openChatOn(feed, client, world, chat, options),
    close() {
      stopRefilling();
      view.close();
      feed.close();
    },
  };
}

function refetch(
  client: Client,
  world: string,
  deleted: Set<string>,
  heard: WorldEvent,
): Refetch<WorldAction> | undefined {
  const asked = unreadNeeds(heard);
  if (asked !== undefined) return refetchNeeds(client, world, asked);
  if (heard.event !== 'crud') return undefined;
  const { entity, id, operation } = heard.data;
  if (operation === 'delete') {
    if (entity === 'chat') deleted.add(id);
    return undefined;
  }
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
          agents: await readAll((after) => client.agents(world, after, { signal })),
        }),
      };
    case 'chat':
      return {
        name: `chat ${id}`,
        fetch: async (signal) => {
          const chat = await client.chat(world, id, { signal });
          return deleted.has(id) ? undefined : { type: 'chat', chat };
        },
      };
    case 'grant':
    case 'policy':
    case 'client':
    case 'tool':
    case 'mcp-server':
    case 'approval':
    case 'schedule':
      return undefined;
  }
}
