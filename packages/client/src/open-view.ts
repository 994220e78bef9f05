import type { WorldEvent } from '@countersign/protocol';
import { ClientError, isTransient } from './http/client-error.js';
import type { Client } from './http/client.js';
import { backOff, LONGEST_PAUSE_MS, pause } from './clock.js';
import type { Batch, Connection } from './http/events.js';
import type { Feed } from './feed.js';
import type { Store } from './store.js';

/** Actions that all views share. */
type CommonAction =
  | { type: 'load-failed'; why: string }
  | { type: 'event'; event: WorldEvent }
  | { type: 'connection'; connection: Connection };

/** Something to refetch after an event. The key deduplicates concurrent fetches. */
export interface Refetch<Action> {
  readonly name: string;
  fetch(signal: AbortSignal): Promise<Action | undefined>;
}

export interface View<State, Action> {
  readonly client: Client;
  readonly feed: Feed;
  readonly initial: State;
  reduce(state: State, action: Action | CommonAction): State;
  /** Loads everything. `position`: the position of the stream before the load. */
  load(position: number, state: State, signal: AbortSignal): Promise<Action>;
  refetch(event: WorldEvent): Refetch<Action> | undefined;
}

export interface OpenedView<State, Action> extends Store<State> {
  dispatch(action: Action): void;
  /** Runs one fetch at a time per key, and retries transient failures. Never rejects. */
  fetch(wanted: Refetch<Action>): Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Load, subscribe, reduce. Subscribes before loading and buffers events, so that none is missed. Events that the load already includes are
 * applied twice, which is harmless.
 */
export function openView<State, Action>(view: View<State, Action>): OpenedView<State, Action> {
  const { client, feed } = view;
  const over = new AbortController();
  const listeners = new Set<() => void>();
  const fetching = new Map<string, { again: boolean }>();
  let state = view.initial;
  /** How events are handled: buffered until the load completes, applied, or ignored after a failed load. */
  let mode: { kind: 'loading'; early: WorldEvent[] } | { kind: 'live' } | { kind: 'failed' } = {
    kind: 'loading',
    early: [],
  };
  let loads = 0;
  let hasLoaded = false;
  /** The last event id received. */
  let position = 0;
  let mendedAt = Number.NEGATIVE_INFINITY;
  let cancelMending: (() => void) | undefined;

  function notify(before: State): void {
    if (state === before) return;
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        // Report an uncaught error: one failing view must not stop the stream for the others.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  function apply(action: Action | CommonAction): void {
    state = view.reduce(state, action);
  }

  function dispatch(action: Action | CommonAction): void {
    const before = state;
    apply(action);
    notify(before);
  }

  function take(event: WorldEvent): void {
    apply({ type: 'event', event });
    const wanted = view.refetch(event);
    if (wanted !== undefined) void refetch(wanted);
  }

  function heard(batch: Batch): void {
    const before = state;
    for (const item of batch) {
      if (item.kind === 'connection') apply({ type: 'connection', connection: item.connection });
      if (item.kind === 'connection' && item.connection.kind === 'open' && mode.kind === 'failed') started(position);
      if (item.kind === 'event') told(item.event);
      if (item.kind === 'malformed') reloadSoon();
    }
    notify(before);
  }

  function told(event: WorldEvent): void {
    position = Math.max(position, event.id);
    if (mode.kind === 'loading') mode.early.push(event);
    if (mode.kind === 'live') take(event);
  }

  /** An unreadable event may be a decision on an approval that is shown, so reload everything, with a pause between reloads. */
  function reloadSoon(): void {
    if (cancelMending !== undefined) return;
    const { clock } = client;
    cancelMending = clock.after(Math.max(0, mendedAt + LONGEST_PAUSE_MS - clock.now()), () => {
      cancelMending = undefined;
      mendedAt = clock.now();
      started(position);
    });
  }

  function started(from: number): void {
    position = from;
    mode = { kind: 'loading', early: [] };
    loads += 1;
    load(from, loads).catch((error: unknown) => failed(String(error)));
  }

  function failed(why: string): void {
    mode = { kind: 'failed' };
    dispatch({ type: 'load-failed', why });
  }

  async function load(from: number, number: number): Promise<void> {
    const isCurrent = (): boolean => number === loads && !over.signal.aborted;
    for (let failures = 0; isCurrent(); failures += 1) {
      try {
        const loaded = await view.load(from, state, over.signal);
        if (!isCurrent()) return;
        const before = state;
        apply(loaded);
        const kept = mode.kind === 'loading' ? mode.early : [];
        mode = { kind: 'live' };
        hasLoaded = true;
        for (const event of kept) take(event);
        notify(before);
        return;
      } catch (error) {
        if (!isCurrent()) return;
        if (isFinal(error)) {
          failed(error instanceof Error ? error.message : String(error));
          return;
        }
        await rest(error, failures);
      }
    }
  }

  /** If a reload fails, the view stays as it is: a loaded view ends only if its subject no longer exists. */
  function isFinal(error: unknown): boolean {
    if (!(error instanceof ClientError)) return !hasLoaded;
    return hasLoaded ? error.status === 404 : !isTransient(error);
  }

  async function rest(error: unknown, failures: number): Promise<void> {
    const wanted = error instanceof ClientError ? (error.retryAfterMs ?? 0) : 0;
    const wait = Math.max(backOff(failures, client.random), wanted);
    await pause(client.clock, wait, over.signal, feed.wakes);
  }

  /** One fetch at a time per key. If a change arrives during a fetch, fetch again. */
  async function refetch(wanted: Refetch<Action>): Promise<void> {
    const running = fetching.get(wanted.name);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const mine = { again: true };
    fetching.set(wanted.name, mine);
    for (let failures = 0; mine.again && !over.signal.aborted;) {
      mine.again = false;
      try {
        const action = await wanted.fetch(over.signal);
        failures = 0;
        if (action !== undefined && !over.signal.aborted) dispatch(action);
      } catch (error) {
        // On a permanent error, wait for the next change or load to fetch again.
        if (!(error instanceof ClientError) || !isTransient(error)) continue;
        await rest(error, failures);
        failures += 1;
        mine.again = true;
      }
    }
    fetching.delete(wanted.name);
  }

  const leave = feed.subscribe({ started, heard });
  const stopWaking = feed.wakes(() => {
    if (mode.kind === 'failed') started(position);
  });
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch,
    fetch: refetch,
    signal: over.signal,
    close() {
      over.abort();
      cancelMending?.();
      stopWaking();
      leave();
      dispatch({ type: 'connection', connection: { kind: 'closed' } });
    },
  };
}
