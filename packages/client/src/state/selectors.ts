import { resolveAddressees, toAddressable, type Agent } from '@countersign/protocol';
import type { ApprovalBook, ApprovalView, ChatState, TranscriptMessage, WorldState } from './state.js';
import { rowAt } from './rows.js';
import { isForYou } from '../show/people/signing.js';
import { get } from './table.js';

/** An agent that works in a chat, or waits there for a person. */
export interface Worker {
  readonly agentId: string;
  readonly name: string;
  readonly doing: 'answering' | 'running' | 'waiting';
}

/** The name of an agent, or its id if it was removed. */
export function agentName({ agents }: { readonly agents: readonly Agent[] }, agentId: string): string {
  return agents.find(({ id }) => id === agentId)?.name ?? agentId;
}

/**
 * The agents currently at work, one entry each. Incomplete while the chat is `working`: an agent that hasn't started to answer is not known
 * yet.
 */
export function workers(state: ChatState): readonly Worker[] {
  const found = new Map<string, Worker>();
  const put = (agentId: string, name: string, doing: Worker['doing']): void => {
    found.set(agentId, { agentId, name, doing });
  };
  const waiting = new Set(state.queue.map((id) => get(state.approvals, id)?.invocationId));
  for (const id of state.openInvocations) {
    const call = get(state.invocations, id);
    if (call === undefined || call.agentId === '') continue;
    if (!waiting.has(id)) put(call.agentId, agentName(state, call.agentId), 'running');
    else if (!found.has(call.agentId)) put(call.agentId, agentName(state, call.agentId), 'waiting');
  }
  for (const { agentId, agentName: name } of state.streams) put(agentId ?? name, name, 'answering');
  return [...found.values()];
}

/** Pending approvals, oldest first. */
export function pendingApprovals(book: ApprovalBook): readonly ApprovalView[] {
  return book.queue.map((id) => get(book.approvals, id)).filter((approval) => approval !== undefined);
}

/** The queue of a chat or world, which may be partly loaded. */
type Queue = Pick<ApprovalBook, 'queue'> & Partial<Pick<WorldState, 'laterApprovals' | 'me'>>;

/** The pending approvals that the reader can decide, oldest first. */
export function approvalsForYou(book: Queue & ApprovalBook): readonly ApprovalView[] {
  return pendingApprovals(book).filter((approval) => isForYou(approval, book.me));
}

/** The same view, with the approvals that wait for other people at the end of the queue. */
export function forYouFirst<B extends Queue & ApprovalBook>(book: B): B {
  const mine = new Set(approvalsForYou(book).map(({ approvalId }) => approvalId));
  if (mine.size === 0 || mine.size === book.queue.length) return book;
  return { ...book, queue: [...mine, ...book.queue.filter((id) => !mine.has(id))] };
}

/** "1 of 3" or "1 of 100+" (CALL12). Undefined if the approval doesn't wait for the reader. */
export function placeInQueue(
  book: Queue & ApprovalBook,
  approvalId: string,
): { position: number; total: string } | undefined {
  const mine = approvalsForYou(book);
  const at = mine.findIndex((approval) => approval.approvalId === approvalId);
  return at < 0 ? undefined : { position: at + 1, total: waitingCount(mine.length, book) };
}

/** The number of pending approvals: "3", or "100+" if not all are loaded. */
export function waitingCount(count: number, { laterApprovals }: Pick<Queue, 'laterApprovals'>): string {
  return laterApprovals === undefined ? String(count) : `${count}+`;
}

/** The pending approvals that block the answer to this message: requested earlier, so their agents handle them first (WORLD11). */
export function approvalsBlocking(
  state: ChatState,
  messageId: string,
  mainAgent: string | undefined,
): readonly ApprovalView[] {
  const message = get(state.messages, messageId);
  if (message === undefined || (message.speaker.kind !== 'person' && message.speaker.kind !== 'world')) return [];
  const asked = pendingApprovals(state).filter(({ requestedAt }) => requestedAt < message.createdAt);
  if (asked.length === 0) return asked;
  const agents = state.agents.map(toAddressable);
  const { agentIds } = resolveAddressees({ content: message.content, speaker: { kind: 'human' }, agents, mainAgent });
  return asked.filter(({ agentId }) => agentIds.includes(agentId));
}

/** All pending approvals that block a message from a person (WORLD11). */
export function allBlockingApprovals(state: ChatState, mainAgent: string | undefined): readonly ApprovalView[] {
  const found = new Set<ApprovalView>();
  const [oldest] = pendingApprovals(state);
  if (oldest === undefined) return [];
  for (let index = state.transcript.length - 1; index >= 0; index -= 1) {
    const message = get(state.messages, rowAt(state.transcript, index) ?? '');
    if (message === undefined || message.createdAt <= oldest.requestedAt) break;
    if (message.speaker.kind === 'person')
      for (const each of approvalsBlocking(state, message.messageId, mainAgent)) found.add(each);
  }
  return [...found];
}

/** The turn in which an agent wrote this line, for `timeline`. The turn's id is derived from the message and the agent. */
export function turnOf({ speaker, replyToMessageId }: TranscriptMessage): string | undefined {
  if (speaker.kind !== 'agent' || replyToMessageId === undefined) return undefined;
  return `turn_${replyToMessageId.replace(/^msg_/, '')}.${speaker.agentId}`;
}
