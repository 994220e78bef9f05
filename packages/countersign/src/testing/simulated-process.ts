import type { Probe } from '@countersign/core';
import type { Clock, Store, OnCommit } from '@countersign/core/ports';

/** Thrown wherever a dead process tries to continue. */
class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

/** One process as its engine sees it: a store, a clock and probes that stop working when it dies. */
export interface SimulatedProcess {
  readonly store: Store;
  readonly clock: Clock;
  readonly probe: Probe;
  isDead(): boolean;
  die(): void;
  /** Dies at the `count`-th probe from now, like `kill -9` between two steps. */
  dieAfter(count: number): void;
}

/**
 * Simulates a process that can be killed. Several processes share one store in sequence, and none can write, read, wake or run anything after
 * its death. Open transactions are rolled back.
 */
export function createSimulatedProcess(store: Store, clock: Clock, onDeath: () => void): SimulatedProcess {
  const timers = new Set<() => void>();
  const subscriptions = new Set<() => Promise<void>>();
  let isDead = false;
  let left = Number.POSITIVE_INFINITY;

  function refuse(): void {
    if (isDead) throw new ProcessDied('this process is dead');
  }
  function die(): void {
    if (isDead) return;
    isDead = true;
    for (const cancel of timers) cancel();
    for (const end of subscriptions) void end();
    onDeath();
  }

  /** The connection of a subscription ends with its process. */
  async function endLater(subscribed: Promise<() => Promise<void>>): Promise<void> {
    const end = await subscribed;
    if (isDead) await end();
    else subscriptions.add(end);
  }

  /** Neither sends nor receives anything after the death. */
  function mortal<T extends object>(shared: T): T {
    const whileAlive =
      (hear: (...given: unknown[]) => unknown) =>
      (...given: unknown[]): unknown =>
        isDead ? undefined : hear(...given);
    return new Proxy(shared, {
      get(target, name): unknown {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          refuse();
          const heard = given.map((each) =>
            typeof each === 'function' ? whileAlive(each as (...given: unknown[]) => unknown) : each,
          );
          const result: unknown = Reflect.apply(value, target, heard);
          if (name === 'hear' || name === 'deliverWakes') void endLater(result as Promise<() => Promise<void>>);
          return result;
        };
      },
    });
  }

  return {
    store: {
      hashKey: store.hashKey,
      async transact(worldId, work, kept) {
        refuse();
        const hear: OnCommit = (events) => isDead || kept?.(events);
        return store.transact(
          worldId,
          async (tx) => {
            refuse();
            const value = await work(tx);
            refuse();
            return value;
          },
          hear,
        );
      },
      async step(worldId, needs, decide, kept) {
        refuse();
        const hear: OnCommit = (events) => isDead || kept?.(events);
        return store.step(
          worldId,
          needs,
          (reads) => {
            refuse();
            const decided = decide(reads);
            refuse();
            return decided;
          },
          hear,
        );
      },
      async read(work) {
        refuse();
        const value = await store.read(work);
        refuse();
        return value;
      },
      ...(store.shared === undefined ? {} : { shared: mortal(store.shared) }),
      checkWritable: () => store.checkWritable(),
      verifyAudit: (worldId) => store.verifyAudit(worldId),
      // The store outlives this process; the next one uses it.
      close: async () => undefined,
    },
    clock: {
      now: () => clock.now(),
      after(ms, fire) {
        const cancel = clock.after(ms, () => {
          timers.delete(cancel);
          fire();
        });
        timers.add(cancel);
        return () => {
          timers.delete(cancel);
          cancel();
        };
      },
    },
    probe() {
      refuse();
      left -= 1;
      if (left > 0) return;
      die();
      refuse();
    },
    isDead: () => isDead,
    die,
    dieAfter(count) {
      left = count;
    },
  };
}
