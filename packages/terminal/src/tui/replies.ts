import { get, type ApprovalBook } from '@countersign/client';
import type { ToolResultReply } from '@countersign/protocol';
import type { CardUi } from './ui-state.js';

/** Responses to this person's decisions that are not attributed yet. */
export interface Replies {
  /** Decisions accepted from here: their author is this person. */
  readonly recorded: ReadonlySet<string>;
  /** Decisions that had already been made: by someone else, or by this person if the first response was lost. */
  readonly repeated: ReadonlySet<string>;
  readonly me: string | undefined;
}

export const NO_REPLIES: Replies = { recorded: new Set(), repeated: new Set(), me: undefined };

export function replied(replies: Replies, approvalId: string, { kind }: ToolResultReply): Replies {
  return { ...replies, [kind]: new Set([...replies[kind], approvalId]) };
}

/** Attributes responses once the events say who decided. */
export function takeReplies(
  before: Replies,
  card: CardUi,
  { approvals }: Pick<ApprovalBook, 'approvals'>,
): { replies: Replies; card: CardUi } {
  const byOf = (id: string): string | undefined => get(approvals, id)?.decision?.by?.id;
  let { me } = before;
  for (const id of before.recorded) me ??= byOf(id);
  const isClear = (id: string): boolean => get(approvals, id) === undefined || byOf(id) !== undefined;
  const clear = [...before.repeated].filter(isClear);
  if (me === before.me && clear.length === 0) return { replies: before, card };
  const repeated = new Set([...before.repeated].filter((id) => !clear.includes(id)));
  const sending = new Set([...card.sending].filter((id) => !clear.includes(id)));
  // Don't claim someone else's decision: the card stays and names that person.
  const taken = new Set([...card.taken, ...clear.filter((id) => me !== undefined && byOf(id) === me)]);
  return { replies: { ...before, repeated, me }, card: { ...card, sending, taken } };
}
