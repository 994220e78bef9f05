/** What the panel holds in front of the person. `held`: it was decided elsewhere; it stays until the person has seen that. */
export type Current = { kind: 'none' } | { kind: 'open'; id: string } | { kind: 'held'; id: string };

/**
 * Which card is shown next. A card that waits is never replaced by another: what a person is about to click must not change under
 * the pointer. One that this person answered makes room; one that was decided elsewhere stays, and says so.
 */
export function nextCurrent(current: Current, queue: readonly string[], mine: ReadonlySet<string>): Current {
  if (current.kind === 'held') return current;
  if (current.kind === 'open' && !mine.has(current.id))
    return queue.includes(current.id) ? current : { kind: 'held', id: current.id };
  const first = queue.find((id) => !mine.has(id));
  return first === undefined ? { kind: 'none' } : { kind: 'open', id: first };
}

/** The one after this, round and round. */
export function after(queue: readonly string[], id: string): string | undefined {
  if (queue.length < 2) return undefined;
  return queue[(queue.indexOf(id) + 1) % queue.length];
}
