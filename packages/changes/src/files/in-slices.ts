import { setImmediate } from 'node:timers/promises';

/** Awaiting each item would take ten times as long; looking at all of them at once would block the event loop. */
const SLICE_MS = 10;

/** Calls the synchronous `look` for each item, also for those that it adds, and yields to the event loop every few milliseconds. */
export async function inSlices<T>(items: Iterable<T>, look: (item: T) => void): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    look(item);
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}
