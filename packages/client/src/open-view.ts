import type { WorldEvent } from '@countersign/protocol';
import { ClientError, isPassing } from './client-error.js';
import type { Client } from './client.js';
import { backOff, pause } from './clock.js';
import type { Batch } from './events.js';
import type { Feed } from './feed.js';
import type { Connection } from './state.js';
import type { Store } from './store.js';

/** The actions that every view knows, whatever it shows. */
type CommonAction =
  | { type: 'load-failed'; why: string }
  | { type: 'event'; event: WorldEvent }
  | { type: 'connection'; connection: Connection };

/** What is to be fetched anew after an event, by a name of its own, so that it is fetched once at a time. */
export interface Refetch<Action> {
  readonly name: string;
  fetch(signal: AbortSignal): Promise<Action | undefined>;
}

export interface View<State, Action> {
  readonly client: Client;
  readonly feed: Feed;
  readonly initial: State;
  reduce(state: State, action: Action | CommonAction): State;
  /** Everything anew. `position` is where the stream was before. */
  load(position: number, state: State, signal: AbortSignal): Promise<Action>;
  refetch(event: WorldEvent): Refetch<Action> | undefined;
}

export interface OpenedView<State, Action> extends Store<State> {
  dispatch(action: Action): void;
  readonly signal: AbortSignal;
}

/**
 * Load, subscribe, reduce. The stream is listened to before anything is asked for, and what comes meanwhile is kept and told
 * after the load: what the load already has is told twice, which changes nothing, and nothing is told never.
 */
export function openView<State, Action>(view: View<State, Action>): OpenedView<State, Action> {
  const { client, feed } = view;
  const over = new AbortController();
  const listeners = new Set<() => void>();
  const fetching = new Map<string, { again: boolean }>();
  let state = view.initial;
  /** Events that came before the load was through; undefined when there is none under way. */
  let early: WorldEvent[] | undefined = [];
  let loads = 0;

  function notify(before: State): void {
    if (state === before) return;
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        // Told to whoever hears of what nobody caught: one view that fails must not stop the stream of the others.
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
    if (wanted !== undefined) void fetchAnew(wanted);
  }

  function heard(batch: Batch): void {
    const before = state;
    for (const item of batch) {
      if (item.kind === 'connection') apply({ type: 'connection', connection: item.connection });
      else if (item.kind === 'event' && early !== undefined) early.push(item.event);
      else if (item.kind === 'event') take(item.event);
    }
    notify(before);
  }

  function begun(position: number): void {
    early = [];
    loads += 1;
    load(position, loads).catch((error: unknown) => dispatch({ type: 'load-failed', why: String(error) }));
  }

  async function load(position: number, number: number): Promise<void> {
    const isCurrent = (): boolean => number === loads && !over.signal.aborted;
    for (let failures = 0; isCurrent(); failures += 1) {
      try {
        const loaded = await view.load(position, state, over.signal);
        if (!isCurrent()) return;
        const before = state;
        apply(loaded);
        const kept = early ?? [];
        early = undefined;
        for (const event of kept) take(event);
        notify(before);
        return;
      } catch (error) {
        if (!isCurrent()) return;
        if (!(error instanceof ClientError) || !isPassing(error)) {
          dispatch({ type: 'load-failed', why: error instanceof Error ? error.message : String(error) });
          return;
        }
        await pause(client.clock, Math.max(backOff(failures, client.random), error.retryAfterMs ?? 0), over.signal);
      }
    }
  }

  /** One at a time for each name: an answer that was overtaken by a change is asked for again. */
  async function fetchAnew(wanted: Refetch<Action>): Promise<void> {
    const running = fetching.get(wanted.name);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const mine = { again: true };
    fetching.set(wanted.name, mine);
    while (mine.again && !over.signal.aborted) {
      mine.again = false;
      // Gone, or not to be had now: the next change, or the next load, asks again.
      const action = await wanted.fetch(over.signal).catch(() => undefined);
      if (action !== undefined && !over.signal.aborted) dispatch(action);
    }
    fetching.delete(wanted.name);
  }

  const leave = feed.subscribe({ begun, heard });
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch,
    signal: over.signal,
    close() {
      over.abort();
      leave();
      dispatch({ type: 'connection', connection: { kind: 'closed' } });
    },
  };
}
