/**
 * Where notices are rendered: in the last opened dialog, because a modal dialog covers and disables the rest of the
 * page.
 */
const slots: HTMLElement[] = [];
const listeners = new Set<() => void>();

export function offerSlot(slot: HTMLElement): () => void {
  slots.push(slot);
  tell();
  return () => {
    slots.splice(slots.indexOf(slot), 1);
    tell();
  };
}

/** Undefined if no dialog is open. */
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
