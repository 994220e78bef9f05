/** The card that the person currently sees. `held`: it was decided elsewhere and stays until the person has seen that. */
export type Current =
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly id: string }
  | { readonly kind: 'held'; readonly id: string };

/** This person's answers: those being sent, and those accepted. */
export interface Answered {
  readonly sending: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

/**
 * Picks the card to show next. A pending card is never replaced, so that it can't change just before a click. A card that was decided elsewhere
 * stays and says so.
 */
export function nextCurrent(current: Current, queue: readonly string[], { sending, taken }: Answered): Current {
  if (current.kind === 'held') return queue.includes(current.id) ? { kind: 'open', id: current.id } : current;
  if (current.kind === 'open' && !taken.has(current.id)) {
    // The stream may report our own answer before its response arrives, so wait for the response.
    return queue.includes(current.id) || sending.has(current.id) ? current : { kind: 'held', id: current.id };
  }
  const first = queue.find((id) => !taken.has(id));
  return first === undefined ? { kind: 'none' } : { kind: 'open', id: first };
}

/** The next or previous item, wrapping around. */
export function after(queue: readonly string[], id: string, step: 1 | -1 = 1): string | undefined {
  if (queue.length < 2 && queue.includes(id)) return undefined;
  return queue.at((queue.indexOf(id) + step) % queue.length);
}
