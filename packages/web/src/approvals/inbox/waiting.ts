import { type ApprovalView, type Client, ClientError, isTransient, readAll, viewOfApproval } from '@countersign/client';
import type { Approval, QueuedApproval } from '@countersign/protocol';
import { followQueues } from '../../data/share-queues.js';
import { createSignal, type Signal } from '../../data/signal.js';
import type { Tabs } from '../../data/tabs.js';

export interface WaitingItem {
  worldId: string;
  agentName: string;
  /** Absent in the world that is shown, which knows its chats. */
  chatTitle?: string;
  approval: ApprovalView;
}

/** The loaded waiting calls of a world. */
interface WaitingPage {
  items: readonly WaitingItem[];
  /** Whether more are waiting. */
  more: boolean;
}

export type WaitingPages = ReadonlyMap<string, WaitingPage>;

export interface Waiting extends Pick<Signal<WaitingPages>, 'get' | 'subscribe'> {
  /** Reads a world again. */
  look(worldId: string): void;
  /** The world that the page shows has its own stream, so its calls are not read here until another one is shown. */
  show(worldId: string): void;
  loadMore(): void;
  close(): void;
}

const PAGE = 100;
/** The server's maximum page size. */
const LARGEST_PAGE = 1000;
/** Without a stream, everything is read this often. */
const EVERY_MS = 30_000;
/** An agent can't make a page read the same world more often. The pause doubles while that world keeps changing. */
const PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 600;
const RETRY_MS = 2000;

/** What waits in all worlds, kept up to date by one stream. */
export function openWaiting(client: Client, tabs: Tabs): Waiting {
  const { clock } = client;
  const over = new AbortController();
  const pages = createSignal<WaitingPages>(new Map());
  /** The number of the request that each page is from: a slow answer must not replace a newer one. */
  const from = new Map<string, number>();
  /** The worlds that are being read, and whether they must be read again. */
  const busy = new Map<string, boolean>();
  let asked = 0;
  let size = PAGE;
  let shown = '';
  let isShownOld = false;
  let cancelPoll = (): void => undefined;

  function put(found: ReadonlyMap<string, WaitingPage>, request: number): void {
    const next = new Map(pages.get());
    for (const [worldId, page] of found) {
      if ((from.get(worldId) ?? 0) > request) continue;
      from.set(worldId, request);
      if (page.items.length === 0) next.delete(worldId);
      else next.set(worldId, page);
    }
    pages.set(next);
  }

  /** Resolves to false if the request should be repeated. */
  async function readWorld(worldId: string): Promise<boolean> {
    asked += 1;
    const request = asked;
    try {
      const { items, next } = await client.approvals(worldId, { limit: size }, { signal: over.signal });
      put(
        new Map([[worldId, { items: items.map((each) => toItem(worldId, each)), more: next !== undefined }]]),
        request,
      );
    } catch (error) {
      if (!(error instanceof ClientError) || isTransient(error)) return false;
      // The world was deleted, or this person may no longer read it.
      if (error.kind === 'problem') put(new Map([[worldId, { items: [], more: false }]]), request);
    }
    return true;
  }

  async function readEverything(): Promise<void> {
    asked += 1;
    const request = asked;
    try {
      const { items, next } = await client.waiting({ limit: size }, { signal: over.signal });
      if (next !== undefined) {
        // The oldest calls could all be from one world.
        const worlds = await readAll((after) => client.worlds({ limit: 200, ...after }, { signal: over.signal }));
        for (const { id } of worlds) look(id);
        return;
      }
      const found = new Map<string, WaitingPage>([...pages.get().keys()].map((id) => [id, { items: [], more: false }]));
      for (const { worldId, ...approval } of items) {
        const known = found.get(worldId)?.items ?? [];
        found.set(worldId, { items: [...known, toItem(worldId, approval)], more: false });
      }
      put(found, request);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (isTransient(error)) poll(RETRY_MS);
      else if (error.kind === 'problem') pages.set(new Map());
    }
  }

  function look(worldId: string, pauseMs = PAUSE_MS): void {
    const isReading = busy.has(worldId);
    busy.set(worldId, isReading);
    if (!isReading) void keepReading(worldId, pauseMs);
  }

  async function keepReading(worldId: string, pauseMs: number): Promise<void> {
    const isRead = await readWorld(worldId);
    clock.after(isRead ? pauseMs : RETRY_MS, () => {
      const again = !isRead || busy.get(worldId) === true;
      busy.delete(worldId);
      if (again && !over.signal.aborted) look(worldId, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    });
  }

  function poll(ms: number): void {
    cancelPoll();
    cancelPoll = clock.after(ms, () => {
      poll(EVERY_MS);
      void readEverything();
    });
  }

  const unfollow = followQueues(client, tabs, (news) => {
    if (news.kind === 'changed') {
      if (news.worldId === shown) isShownOld = true;
      else look(news.worldId);
      return;
    }
    if (news.kind === 'lost') return poll(EVERY_MS);
    cancelPoll();
    void readEverything();
  });
  // If no stream opens soon.
  poll(RETRY_MS);

  return {
    get: pages.get,
    subscribe: pages.subscribe,
    look,
    show(worldId) {
      if (worldId === shown) return;
      if (isShownOld) look(shown);
      isShownOld = false;
      shown = worldId;
    },
    loadMore() {
      size = Math.min(size + PAGE, LARGEST_PAGE);
      void readEverything();
    },
    close() {
      over.abort();
      unfollow();
      cancelPoll();
    },
  };
}

function toItem(worldId: string, approval: Pick<QueuedApproval, 'chatTitle'> & Approval): WaitingItem {
  const { agentName, chatTitle } = approval;
  return { worldId, agentName, ...(chatTitle === undefined ? {} : { chatTitle }), approval: viewOfApproval(approval) };
}
