import type { ApprovalBook, ApprovalView, Decision } from './state.js';
import { emptyTable, get, keys, remove, set } from './table.js';

export function emptyBook(): ApprovalBook {
  return { approvals: emptyTable(), queue: [], decisions: emptyTable() };
}

/** A question was put, or is heard of again. What is known of it stays as it is. */
export function request<B extends ApprovalBook>(book: B, asked: ApprovalView): B {
  const known = get(book.approvals, asked.approvalId);
  if (known !== undefined) return book;
  const decision = get(book.decisions, asked.approvalId);
  const approval = decision === undefined ? asked : { ...asked, decision: asTold(asked, decision) };
  const approvals = set(book.approvals, asked.approvalId, approval);
  return decision === undefined
    ? { ...book, approvals, queue: queued(approvals, book.queue, approval) }
    : { ...book, approvals };
}

/** A question was answered. What its own message tells is worth more than a summary that says neither who nor why. */
export function decide<B extends ApprovalBook>(book: B, approvalId: string, decision: Decision): B {
  const before = get(book.decisions, approvalId);
  if (before !== undefined && (before.by !== '' || decision.by === '')) return book;
  const decisions = set(book.decisions, approvalId, decision);
  const asked = get(book.approvals, approvalId);
  if (asked === undefined) return { ...book, decisions };
  return {
    ...book,
    decisions,
    approvals: set(book.approvals, approvalId, { ...asked, decision: asTold(asked, decision) }),
    queue: book.queue.includes(approvalId) ? book.queue.filter((id) => id !== approvalId) : book.queue,
  };
}

/** What is gone with its chat waits for nobody. */
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

/** Drops answers to questions that are not loaded: pages that are loaded from here on don't have these questions. */
export function forgetUnloaded<B extends ApprovalBook>(book: B): B {
  const unloaded = [...keys(book.decisions)].filter((id) => get(book.approvals, id) === undefined);
  return unloaded.length === 0 ? book : { ...book, decisions: remove(book.decisions, unloaded) };
}

/** What the question itself adds: a yes to one in words is an answer, not a signature; and how long it waited for nobody. */
function asTold({ question, requestedAt, expiresAt }: ApprovalView, decision: Decision): Decision {
  if (question !== undefined && decision.outcome === 'approved') return { ...decision, outcome: 'answered' };
  if (decision.outcome !== 'expired') return decision;
  const waitedMs = Date.parse(expiresAt ?? decision.at) - Date.parse(requestedAt);
  return Number.isNaN(waitedMs) ? decision : { ...decision, waitedMs };
}

/** Oldest first, whatever the order in which they are heard of: nearly always at the end. */
function queued(
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

/** Of those asked in the same millisecond, the one heard of first: they come in call order, and their ids tell nothing of it. */
function isBefore(a: ApprovalView, b: ApprovalView): boolean {
  return a.requestedAt <= b.requestedAt;
}
