import type { Clock, SharedStore, Store } from '../ports/index.js';
import type { EventBus } from '../publishers/event-bus.js';
import { shareEventBus, type Changed, type SharedEventBus } from '../publishers/shared-event-bus.js';
import { dispatchAmongOthers } from '../step/move-turn.js';
import { createMembership, type Membership } from './membership.js';
import type { Dispatch, Handover, Runtime } from '../step/runtime.js';
import type { Scheduler } from '../step/scheduler.js';

/** What a process needs if others share its store: the dispatch of turns, and the source of events. */
export interface Peers {
  bus: SharedEventBus;
  dispatch: Dispatch;
  membership: Membership;
}

export function joinOthers(options: {
  store: Store;
  shared: SharedStore;
  clock: Clock;
  owner: string;
  bus: EventBus;
  scheduler: Scheduler<Handover>;
  runtime: () => Runtime;
  report: (error: unknown, what: string) => void;
  eachRound: () => Promise<void>;
  onChanged: (change: Changed) => void;
}): Peers {
  const { store, scheduler, report } = options;
  const bus = shareEventBus(options.bus, store, (hint) => membership.hint(hint), report);
  const membership = createMembership({ ...options, bus: () => bus });
  const dispatch = dispatchAmongOthers(options.owner, scheduler, {
    mayOwn: () => membership.mayOwn(),
    wake: (turnId, owner) => membership.hint({ kind: 'wake', turnId }, owner),
    abort: (turnId, reason, by) =>
      membership.hint({ kind: 'abort', turnId, reason, ...(by === undefined ? {} : { by }) }),
  });
  return { bus, dispatch, membership };
}
