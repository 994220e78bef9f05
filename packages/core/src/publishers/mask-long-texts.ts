import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '../ports/index.js';
import { maskSlices, needsSlices, scanLimit } from '../masking/index.js';

/** Texts that are being masked: many readers of one chat wait for the same work. */
const underWay = new Map<string, Promise<void>>();

/**
 * Masks long texts in slices, and lets everybody else have their turn in between. Until then `maskSecrets` withholds what is past its
 * scan limit. Not inside a step or a read: others would wait for the store meanwhile.
 */
export async function maskLongTexts(texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    if (text.length <= scanLimit) continue;
    // The caller has just read the text, and is about to write it: each takes some time of its own.
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

/** The same for what events say. */
export async function maskLongEvents(events: readonly StoredEvent[]): Promise<void> {
  await maskLongTexts(events.flatMap((event) => (event.event === 'message' ? [event.message.content] : [])));
}
