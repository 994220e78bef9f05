import type { NeededSignatures } from '@countersign/protocol';
import type { ApprovalBook, ApprovalView, Decision } from './state.js';
import { emptyTable, get, keys, remove, set } from './table.js';

export function emptyBook(): ApprovalBook {
  return { approvals: emptyTable(), queue: [], decisions: emptyTable() };
}

/** Adds an approval. An approval that is already known stays unchanged. */
export function request<B extends ApprovalBook>(book: B, asked: ApprovalView): B {
  const known = get(book.approvals, asked.approvalId);
  if (known !== undefined) return book;
  const decision = get(book.decisions, asked.approvalId);
  const approval = decision === undefined ? asked : { ...asked, decision: completed(asked, decision) };
  const approvals = set(book.approvals, asked.approvalId, approval);
  return decision === undefined
    ? { ...book, approvals, queue: enqueue(approvals, book.queue, approval) }
    : { ...book, approvals };
}

/** Updates who has signed. `listed`: from the queue, which is newer than any message that is already known. */
export function sign<B extends ApprovalBook>(
  book: B,
  approvalId: string,
  needs: readonly NeededSignatures[] | undefined,
  { listed = false } = {},
): B {
  const asked = get(book.approvals, approvalId);
  if (asked === undefined || asked.decision !== undefined || needs === undefined) return book;
  // Earlier pages of the transcript contain older signatures.
  if (!listed && countSigned(needs) < countSigned(asked.needs ?? [])) return book;
  return { ...book, approvals: set(book.approvals, approvalId, { ...asked, needs }) };
}

function countSigned(needs: readonly NeededSignatures[]): number {
  return needs.reduce((count, { signed }) => count + signed.length, 0);
}

/** Records a decision. A message takes precedence over an event, which doesn't say who decided or why. */
export function decide<B extends ApprovalBook>(book: B, approvalId: string, decision: Decision): B {
  const before = get(book.decisions, approvalId);
  if (before !== undefined && (before.by !== undefined || decision.by === undefined)) return book;
  const decisions = set(book.decisions, approvalId, decision);
  const asked = get(book.approvals, approvalId);
  if (asked === undefined) return { ...book, decisions };
  return {
    ...book,
    decisions,
    approvals: set(book.approvals, approvalId, { ...asked, decision: completed(asked, decision) }),
    queue: book.queue.includes(approvalId) ? book.queue.filter((id) => id !== approvalId) : book.queue,
  };
}

/** Removes approvals from a deleted chat. */
export function forget<B extends ApprovalBook>(book: B, ids: readonly string[]): B {
  if (ids.length === 0) return book;
  const gone = new Set(ids);
  return {
    ...book,
    approvals: remove(book.approvals, gone),
    decisions: remove(book.decisions, gone),
    queue: book.queue.filter((id) => !gone.has(id)),
  };
}

/** Drops decisions on approvals that are not loaded: pages loaded from now on don't contain those approvals. */
export function forgetUnloaded<B extends ApprovalBook>(book: B): B {
  const unloaded = [...keys(book.decisions)].filter((id) => get(book.approvals, id) === undefined);
  return unloaded.length === 0 ? book : { ...book, decisions: remove(book.decisions, unloaded) };
}

/** Completes a decision with data from its approval: a question is answered, not approved; an expired approval waited until its deadline. */
function completed({ question, requestedAt, expiresAt }: ApprovalView, decision: Decision): Decision {
  if (question !== undefined && decision.outcome === 'approved') return { ...decision, outcome: 'answered' };
  if (decision.outcome !== 'expired') return decision;
  const waitedMs = Date.parse(expiresAt ?? decision.at) - Date.parse(requestedAt);
  return Number.isNaN(waitedMs) ? decision : { ...decision, waitedMs };
}

/** Inserts by age, which is nearly always at the end. */
function enqueue(
  approvals: ApprovalBook['approvals'],
  queue: readonly string[],
  added: ApprovalView,
): readonly string[] {
  let at = queue.length;
  while (at > 0) {
    const before = get(approvals, queue[at - 1] ?? '');
    if (before === undefined || isBefore(before, added)) break;
    at -= 1;
  }
  return [...queue.slice(0, at), added.approvalId, ...queue.slice(at)];
}

/** Within the same millisecond, the order of arrival is kept. It is the call order, which the ids don't show. */
function isBefore(a: ApprovalView, b: ApprovalView): boolean {
  return a.requestedAt <= b.requestedAt;
}
