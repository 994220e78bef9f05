import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '../ports/index.js';
import { maskSlices, needsSlices, scanLimit } from '../masking/index.js';

/** Texts being masked, so that concurrent readers of one chat share the work. */
const underWay = new Map<string, Promise<void>>();

/**
 * Masks long texts in slices and yields to the event loop in between. Until that is done, `maskSecrets` withholds text past its scan limit.
 * Don't call it in a step or a read, because it would block the store.
 */
export async function maskLongTexts(texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    if (text.length <= scanLimit) continue;
    // Yield first: the caller has just read the text and is about to write it, which takes time too.
    await setImmediate();
    if (!needsSlices(text)) continue;
    const work = underWay.get(text) ?? maskLongText(text).finally(() => underWay.delete(text));
    underWay.set(text, work);
    await work;
  }
}

async function maskLongText(text: string): Promise<void> {
  for (const _ of maskSlices(text)) await setImmediate();
}

/** Like `maskLongTexts`, for the messages in events. */
export async function maskLongEvents(events: readonly StoredEvent[]): Promise<void> {
  await maskLongTexts(events.flatMap((event) => (event.event === 'message' ? [event.message.content] : [])));
}
