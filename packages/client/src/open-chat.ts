import type { WorldEvent } from '@countersign/protocol';
import { ClientError } from './http/client-error.js';
import type { Client } from './http/client.js';
import { openFeed, type Feed } from './feed.js';
import { openView, type Refetch } from './open-view.js';
import { readAll } from './http/read-all.js';
import { readReader } from './state/reader.js';
import { refetchNeeds, unreadNeeds } from './state/refetch-needs.js';
import { emptyChat, reduceChat, type ChatAction } from './state/reduce-chat.js';
import type { ChatStore, OpenChatOptions } from './store.js';
import type { TranscriptMessage } from './state/state.js';
import { get, values, type Table } from './state/table.js';

const PAGE = 100;
/** After a reset, the same number of lines is loaded again, up to this limit. */
const LARGEST_PAGE = 1000;

/** A live view of one chat with its own stream. */
export function openChat(client: Client, world: string, chat: string, options: OpenChatOptions = {}): ChatStore {
  const feed = openFeed(client, world, chat);
  return openChatOn(feed, client, world, chat, { ...options, onClose: () => feed.close() });
}

/** Like `openChat`, over a shared stream that its owner closes. */
export function openChatOn(
  feed: Feed,
  client: Client,
  world: string,
  chat: string,
  { pageSize = PAGE, onClose }: OpenChatOptions & { onClose?: () => void },
): ChatStore {
  const view = openView<ReturnType<typeof emptyChat>, ChatAction>({
    client,
    feed,
    initial: emptyChat(world, chat),
    reduce: reduceChat,
    load: async (position, state, signal) => {
      const limit = Math.min(LARGEST_PAGE, Math.max(pageSize, state.transcript.length));
      const [shown, messages, agents, me] = await Promise.all([
        client.chat(world, chat, { signal }),
        client.messages(world, chat, { newest: true, limit }, { signal }),
        readAll((after) => client.agents(world, after, { signal })),
        readReader(client, world, { signal }),
      ]);
      // Load the messages first: an approval known only from messages would have no position in the queue.
      const approvals = await readAll((after) => client.approvals(world, { chat, ...after }, { signal }));
      return { type: 'loaded', position, chat: shown, messages, approvals, agents, me };
    },
    refetch: (event) => refetch(client, world, chat, event),
  });

  async function loadOlder(limit: number): Promise<void> {
    const { older } = view.getState();
    if (older.kind !== 'more' && older.kind !== 'failed') return;
    view.dispatch({ type: 'older-asked' });
    try {
      const messages = await client.messages(world, chat, { before: older.before, limit }, { signal: view.signal });
      // Drop the page if a full reload happened in between: it no longer adjoins the loaded ones.
      const now = view.getState().older;
      if (now.kind === 'loading' && now.before === older.before) view.dispatch({ type: 'older', messages });
    } catch (error) {
      view.dispatch({ type: 'older-failed' });
      if (!(error instanceof ClientError) || error.kind !== 'aborted') throw error;
    }
  }

  /** Resolves on the next change, or when the view is closed. */
  async function changed(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = view.subscribe(end);
      function end(): void {
        stop();
        view.signal.removeEventListener('abort', end);
        resolve();
      }
      view.signal.addEventListener('abort', end, { once: true });
    });
  }

  return {
    getState: view.getState,
    subscribe: view.subscribe,
    retryNow: () => feed.retryNow(),
    close() {
      view.close();
      onClose?.();
    },
    loadOlder: () => loadOlder(pageSize),
    async reach(id) {
      while (!view.signal.aborted) {
        const { loading, messages, older } = view.getState();
        const found = get(messages, id) ?? messageOf(messages, id);
        if (found !== undefined) return found.messageId;
        if (loading.kind === 'failed' || (loading.kind === 'ready' && older.kind === 'none')) return undefined;
        // Use large pages: reaching a line far up would take a hundred small ones.
        if (loading.kind === 'ready' && (older.kind === 'more' || older.kind === 'failed'))
          await loadOlder(LARGEST_PAGE);
        else await changed();
      }
      return undefined;
    },
  };
}

function messageOf(messages: Table<TranscriptMessage>, call: string): TranscriptMessage | undefined {
  for (const message of values(messages)) if (message.invocationIds.includes(call)) return message;
  return undefined;
}

function refetch(client: Client, world: string, chat: string, heard: WorldEvent): Refetch<ChatAction> | undefined {
  const asked = heard.chatId === chat ? unreadNeeds(heard) : undefined;
  if (asked !== undefined) return refetchNeeds(client, world, asked);
  if (heard.event !== 'crud') return undefined;
  const { entity, operation, id } = heard.data;
  if (entity === 'chat' && id === chat && operation !== 'delete') {
    return {
      name: 'chat',
      fetch: async (signal) => ({ type: 'chat', chat: await client.chat(world, chat, { signal }) }),
    };
  }
  if (entity === 'agent') {
    return {
      name: 'agents',
      fetch: async (signal) => ({
        type: 'agents',
        agents: await readAll((after) => client.agents(world, after, { signal })),
      }),
    };
  }
  return undefined;
}
