import type { ApprovalView } from '../../state/state.js';

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
 * stays and says so. `replacement`: the approval of the edited call, for a card whose edit was sent; the card itself until that one arrives.
 */
export function nextCurrent(
  current: Current,
  queue: readonly string[],
  { sending, taken }: Answered,
  replacement: (id: string) => string | undefined = () => undefined,
): Current {
  const edited = current.kind === 'none' ? undefined : replacement(current.id);
  if (edited !== undefined) return { kind: 'open', id: edited };
  if (current.kind === 'held') return queue.includes(current.id) ? { kind: 'open', id: current.id } : current;
  if (current.kind === 'open' && !taken.has(current.id)) {
    // The stream may report our own answer before its response arrives, so wait for the response.
    return queue.includes(current.id) || sending.has(current.id) ? current : { kind: 'held', id: current.id };
  }
  const first = queue.find((id) => !taken.has(id));
  return first === undefined ? { kind: 'none' } : { kind: 'open', id: first };
}

/** The waiting approval that replaced another one of the same call. Undefined if it isn't in the queue. */
export function replacementOf(
  { approvalId, invocationId }: Pick<ApprovalView, 'approvalId' | 'invocationId'>,
  queue: readonly string[],
  find: (id: string) => Pick<ApprovalView, 'invocationId'> | undefined,
): string | undefined {
  return queue.findLast((id) => id !== approvalId && find(id)?.invocationId === invocationId);
}

/** The next or previous item, wrapping around. */
export function after(queue: readonly string[], id: string, step: 1 | -1 = 1): string | undefined {
  if (queue.length < 2 && queue.includes(id)) return undefined;
  return queue.at((queue.indexOf(id) + step) % queue.length);
}
