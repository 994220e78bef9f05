/** The card in front of the person. `held`: it was decided elsewhere; it stays until the person has seen that. */
export type Current =
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly id: string }
  | { readonly kind: 'held'; readonly id: string };

/** What this person has answered here: what is on its way, and what was taken. */
export interface Answered {
  readonly sending: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

/**
 * Which card is shown next. A card that waits is never replaced by another: what a person is about to click must not change under
 * the pointer or the fingers. One that this person answered makes room once that is known to count; one that was decided elsewhere stays, and says so.
 */
export function nextCurrent(current: Current, queue: readonly string[], { sending, taken }: Answered): Current {
  if (current.kind === 'held') return queue.includes(current.id) ? { kind: 'open', id: current.id } : current;
  if (current.kind === 'open' && !taken.has(current.id)) {
    // The stream may tell of an answer before the answer to it is here: whose it was is not known yet.
    return queue.includes(current.id) || sending.has(current.id) ? current : { kind: 'held', id: current.id };
  }
  const first = queue.find((id) => !taken.has(id));
  return first === undefined ? { kind: 'none' } : { kind: 'open', id: first };
}

/** The one after this, or before it, round and round. */
export function after(queue: readonly string[], id: string, step: 1 | -1 = 1): string | undefined {
  if (queue.length < 2 && queue.includes(id)) return undefined;
  return queue.at((queue.indexOf(id) + step) % queue.length);
}
