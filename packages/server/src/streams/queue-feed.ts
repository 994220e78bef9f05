import type { Engine } from '@countersign/core';
import { HEARTBEAT_MS } from './feeds.js';

interface QueueListener {
  changed(worldId: string): void;
  beat(): void;
  /** Called when the server shuts down. */
  closing(): void;
}

/** Which worlds' waiting calls change, for all streams of an engine. */
export interface QueueFeed {
  /** Once this resolves, no change is missed. The returned function unsubscribes. */
  listen(listener: QueueListener): Promise<() => void>;
  /** Number of open streams. */
  count(): number;
}

const made = new WeakMap<Engine, QueueFeed>();

export function queueFeedOf(engine: Engine): QueueFeed {
  const known = made.get(engine);
  if (known !== undefined) return known;
  const feed = createQueueFeed(engine);
  made.set(engine, feed);
  return feed;
}

function createQueueFeed({ runtime, closing }: Engine): QueueFeed {
  const listeners = new Set<QueueListener>();
  let cancelBeat = (): void => undefined;

  function scheduleBeat(): void {
    cancelBeat();
    const beat = (): void => {
      for (const listener of [...listeners]) listener.beat();
      if (listeners.size > 0 && !closing.aborted) scheduleBeat();
    };
    cancelBeat = runtime.clock.after(HEARTBEAT_MS, beat, { background: true });
  }

  closing.addEventListener(
    'abort',
    () => {
      cancelBeat();
      for (const listener of [...listeners]) listener.closing();
    },
    { once: true },
  );

  return {
    async listen(listener) {
      const end = await runtime.bus.watchQueues((worldId) => listener.changed(worldId));
      if (listeners.size === 0) scheduleBeat();
      listeners.add(listener);
      return () => {
        end();
        listeners.delete(listener);
        if (listeners.size === 0) cancelBeat();
      };
    },
    count: () => listeners.size,
  };
}
