import type { Engine } from '@countersign/core';
import { encodeFrame, type EncodedFrame } from './encode-frame.js';

/** Proxies and routers drop connections that are idle for longer. */
export const HEARTBEAT_MS = 15_000;

interface FeedListener {
  heard(frame: EncodedFrame): void;
  /** Called for each heartbeat. `lastEventId` is the end of the log: a reader behind it has missed a wake-up. */
  tick(lastEventId: number): void;
  /** Called when the server shuts down. */
  closing(): void;
}

/** The events of an engine's worlds, encoded once for all streams of a world. */
export interface Feeds {
  listen(worldId: string, listener: FeedListener): () => void;
  /** Number of open streams. */
  count(): number;
}

const made = new WeakMap<Engine, Feeds>();

export function feedsOf(engine: Engine): Feeds {
  const known = made.get(engine);
  if (known !== undefined) return known;
  const feeds = createFeeds(engine);
  made.set(engine, feeds);
  return feeds;
}

interface World {
  listeners: Set<FeedListener>;
  end: () => void;
}

function createFeeds({ runtime, closing }: Engine): Feeds {
  const worlds = new Map<string, World>();
  let cancelTick = (): void => undefined;

  const listenersOf = (worldId: string): FeedListener[] => [...(worlds.get(worldId)?.listeners ?? [])];

  function open(worldId: string): World {
    const end = runtime.bus.subscribe(worldId, (event) => {
      const frame = encodeFrame(event);
      for (const listener of listenersOf(worldId)) listener.heard(frame);
    });
    const world: World = { listeners: new Set(), end };
    if (worlds.size === 0) scheduleTick();
    worlds.set(worldId, world);
    return world;
  }

  function scheduleTick(): void {
    cancelTick();
    cancelTick = runtime.clock.after(HEARTBEAT_MS, () => void tick(), { background: true });
  }

  async function tick(): Promise<void> {
    for (const worldId of worlds.keys()) {
      let lastEventId = 0;
      try {
        lastEventId = await runtime.store.read((reader) => reader.lastEventId(worldId));
      } catch (error) {
        // Send the heartbeat even if the store is down: without it, readers would reconnect, which doesn't help.
        runtime.report(error, 'Streams could not be checked for missed events');
      }
      for (const listener of listenersOf(worldId)) listener.tick(lastEventId);
    }
    if (worlds.size > 0 && !closing.aborted) scheduleTick();
  }

  closing.addEventListener(
    'abort',
    () => {
      cancelTick();
      for (const worldId of [...worlds.keys()]) for (const listener of listenersOf(worldId)) listener.closing();
    },
    { once: true },
  );

  return {
    listen(worldId, listener) {
      const world = worlds.get(worldId) ?? open(worldId);
      world.listeners.add(listener);
      return () => {
        world.listeners.delete(listener);
        if (world.listeners.size > 0 || worlds.get(worldId) !== world) return;
        worlds.delete(worldId);
        world.end();
        if (worlds.size === 0) cancelTick();
      };
    },
    count: () => [...worlds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
  };
}
