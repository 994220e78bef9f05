import { setImmediate } from 'node:timers/promises';

/** Awaiting each item would take ten times as long; checking all of them at once would block the event loop. */
const SLICE = 200;

/** Calls the synchronous `look` for each item and yields to the event loop after every slice. */
export async function inSlices<T>(items: Iterable<T>, look: (item: T) => void): Promise<void> {
  let looked = 0;
  for (const item of items) {
    look(item);
    looked += 1;
    if (looked % SLICE === 0) await setImmediate();
  }
}
