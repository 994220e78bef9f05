/** Requests of one agent that may wait at the same time. */
export const MOST_HELD = 64;
/** Calls per agent whose client is gone that are remembered. */
const MOST_LEFT = 200;

/** Names a request of a connection, or one that was sent to it. */
export function requestKey(connection: string, id: string | number): string {
  return `${connection} ${typeof id} ${id}`;
}

/** The requests that clients wait for, and the calls whose client has left. */
export interface WaitingClients {
  /** Counts a request of an agent. Undefined if too many wait. `cancelKey` names it for `cancel`. */
  add(agent: string, cancelKey: string): { signal: AbortSignal; end(): void } | undefined;
  cancel(cancelKey: string): void;
  /** Notes that a client waits for a call, by its id or until it has one by its content, until the returned function is called. */
  watch(call: string): () => void;
  isWatched(call: string): boolean;
  /** Remembers a call whose client left before it got the result. */
  leave(agent: string, sameCall: string, callId: string): void;
  /** The call that a client left, once: the next client that sends the same call gets its result. */
  takeLeft(agent: string, sameCall: string): string | undefined;
  /** Forgets a call whose client has come back for its result. */
  deliver(agent: string, callId: string): void;
}

export function createWaitingClients(): WaitingClients {
  const counts = new Map<string, number>();
  const requests = new Map<string, Set<AbortController>>();
  const watched = new Map<string, number>();
  const left = new Map<string, Map<string, string>>();
  return {
    add(agent, cancelKey) {
      const count = counts.get(agent) ?? 0;
      if (count >= MOST_HELD) return undefined;
      counts.set(agent, count + 1);
      const controller = new AbortController();
      const same = requests.get(cancelKey) ?? new Set();
      requests.set(cancelKey, same.add(controller));
      return {
        signal: controller.signal,
        end() {
          if (!same.delete(controller)) return;
          if (same.size === 0 && requests.get(cancelKey) === same) requests.delete(cancelKey);
          lower(counts, agent);
        },
      };
    },
    cancel(cancelKey) {
      for (const controller of requests.get(cancelKey) ?? []) controller.abort();
    },
    watch(call) {
      watched.set(call, (watched.get(call) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (!isOver) lower(watched, call);
        isOver = true;
      };
    },
    isWatched: (call) => watched.has(call),
    leave(agent, sameCall, callId) {
      const own = left.get(agent) ?? new Map<string, string>();
      left.set(agent, own);
      own.delete(sameCall);
      own.set(sameCall, callId);
      if (own.size > MOST_LEFT) for (const oldest of own.keys()) return void own.delete(oldest);
    },
    takeLeft(agent, sameCall) {
      const callId = left.get(agent)?.get(sameCall);
      left.get(agent)?.delete(sameCall);
      return callId;
    },
    deliver(agent, callId) {
      const own = left.get(agent);
      for (const [sameCall, id] of own ?? []) if (id === callId) own?.delete(sameCall);
    },
  };
}

function lower(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 1) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
