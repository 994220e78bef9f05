import { setImmediate } from 'node:timers/promises';
import type { Store, Tool } from '@countersign/core/ports';

/** Knows whether anything in the server is under way: a request, a step of the store or a tool. */
export interface Activity {
  track<T>(work: Promise<T>): Promise<T>;
  watchStore(store: Store): Store;
  /** Tracks every function of a tool. */
  watchTool(tool: Tool): Tool;
  settle(): Promise<void>;
}

/** A step is committed in the next iteration of the event loop, and one step often leads to another. */
const QUIET_ROUNDS = 10;
const LIMIT_MS = 60_000;

export function createActivity(): Activity {
  let busy = 0;
  let onIdle = (): void => undefined;
  const end = (): void => {
    busy -= 1;
    if (busy === 0) onIdle();
  };
  /** Doesn't poll: most of what is under way waits for the disk, and polling took a fifth of all CPU time. */
  const whenIdle = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error('the server did not come to rest')), LIMIT_MS);
      onIdle = () => {
        clearTimeout(limit);
        resolve(undefined);
      };
    });

  function track<T>(work: Promise<T>): Promise<T> {
    busy += 1;
    work.then(end, end);
    return work;
  }

  /** Tracks what its functions return, and those of its parts, such as `undos`. */
  function watch<T extends object>(parts: T): T {
    return new Proxy(parts, {
      get(target, name, receiver): unknown {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value === 'object' && value !== null && (name === 'undos' || name === 'rehearsals'))
          return watch(value);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          const result: unknown = Reflect.apply(value, target, given);
          return result instanceof Promise ? track(result) : result;
        };
      },
    });
  }

  return {
    track,
    watchTool: watch,
    watchStore: watch,
    async settle() {
      const until = Date.now() + LIMIT_MS;
      for (let quiet = 0; quiet < QUIET_ROUNDS; quiet += 1) {
        await setImmediate();
        if (busy === 0) continue;
        await whenIdle();
        quiet = -1;
        if (Date.now() > until) throw new Error('the server did not come to rest');
      }
    },
  };
}
