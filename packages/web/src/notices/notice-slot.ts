/**
 * Where notices are rendered: in the last opened dialog, because a modal dialog covers and disables the rest of the
 * page, or else in the place that the page keeps for them.
 */
const slots: HTMLElement[] = [];
const listeners = new Set<() => void>();

export function offerSlot(slot: HTMLElement, of: 'dialog' | 'page'): () => void {
  if (of === 'dialog') slots.push(slot);
  else slots.unshift(slot);
  tell();
  return () => {
    slots.splice(slots.indexOf(slot), 1);
    tell();
  };
}

/** Undefined if no dialog is open and the page has no place for them. */
export function currentSlot(): HTMLElement | undefined {
  return slots.at(-1);
}

export function subscribeToSlot(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}
