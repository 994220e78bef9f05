import { createSignal } from '../data/signal.js';

/**
 * Where notices are rendered: in the last opened dialog, because a modal dialog covers and disables the rest of the
 * page, or else in the place that the page keeps for them.
 */
const slots = createSignal<readonly HTMLElement[]>([]);

export function offerSlot(slot: HTMLElement, of: 'dialog' | 'page'): () => void {
  slots.set(of === 'dialog' ? [...slots.get(), slot] : [slot, ...slots.get()]);
  return () => slots.set(slots.get().filter((each) => each !== slot));
}

/** The slot to use. Undefined if no dialog is open and the page has no place for them. */
export const noticeSlot = { get: (): HTMLElement | undefined => slots.get().at(-1), subscribe: slots.subscribe };
