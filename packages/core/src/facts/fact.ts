import type { AskReason, Scope, UnknownOutcome, Usage } from '@countersign/protocol';
import type {
  AgentRecord,
  ApprovalRecord,
  ChatRecord,
  GrantRecord,
  InvocationRecord,
  MessageRecord,
  TurnOutcome,
  TurnRecord,
} from '../ports/index.js';

/**
 * What happened. A closed union: commands decide facts, and `derive` gives for each of them the rows that change, the message and the events
 * that tell about it, and its audit record. A transition is written nowhere else.
 */
export type Fact = ChatFact | WorldFact;

export type ChatFact =
  | { kind: 'chat-created'; chat: ChatRecord }
  /** Without a title nothing is announced: the chat keeps its default one, and no model is asked again (M7). */
  | { kind: 'chat-titled'; chatId: string; title: string | undefined }
  | { kind: 'chat-deleted'; chatId: string }
  /** Derived from the chat's turns at the end of a step (M8). */
  | { kind: 'activity-changed'; chatId: string; status: ChatRecord['status'] }
  | { kind: 'message-sent'; message: MessageRecord }
  /** Something a person should know that nobody said. It is in the transcript, but no model sees it. */
  | { kind: 'notice-written'; message: MessageRecord; type: 'error' | 'notice' }
  | TurnFact
  | CallFact
  /** A person has decided about such a call, so its unknown outcome needs no approval again (S3). */
  | { kind: 'outcome-accepted'; chatId: string; toolName: string; arguments: string }
  /** `key`: what the grants of a call are found by; `''` if any call may be covered by it. */
  | { kind: 'grant-given'; grant: GrantRecord; key: string }
  | RulesAdded;

/** What concerns a world and none of its chats; told and recorded by its command. */
export type WorldFact =
  | { kind: 'agent-added'; agent: AgentRecord }
  | { kind: 'agent-removed'; worldId: string; agentId: string }
  /** With its chats and all that belongs to them. Its id stays taken and its audit log stays. */
  | { kind: 'world-deleted'; worldId: string };

export type TurnFact =
  | { kind: 'turn-queued'; turn: TurnRecord }
  /** `begunSeq`: the last message that it sees. */
  | (OfTurn & { kind: 'turn-opened'; begunSeq: number; owner: string | null })
  /** The model's calls, or its words; no message if it said nothing. */
  | (OfTurn & { kind: 'model-answered'; usage: Usage; message: MessageRecord | undefined })
  /** Only a person or a client can bring it further. */
  | (OfTurn & { kind: 'turn-paused' })
  /** It can go on. `fenced`: the process that ran it before must not write any more. */
  | (OfTurn & { kind: 'turn-resumed'; owner: string | null; fenced: boolean })
  /** A process takes a turn that none runs. The process that ran it before can't write any more. */
  | (OfTurn & { kind: 'turn-claimed'; owner: string; interruptions: number })
  /** The process that ran it is gone, or shuts down. */
  | (OfTurn & { kind: 'turn-released'; interruptions: number })
  /** `begunSeq`: it ends where it would have begun (M6). */
  | (OfTurn & { kind: 'turn-ended'; outcome: TurnOutcome; begunSeq?: number });

type CallFact =
  | { kind: 'call-proposed'; call: InvocationRecord }
  | ApprovalRequested
  | ApprovalDecided
  | CallStarted
  /** It has not begun, or may begin again: the next run of the turn starts it. */
  | (OfCall & { kind: 'call-requeued' })
  | CallSettled;

interface OfTurn {
  chatId: string;
  turnId: string;
}
interface OfCall {
  chatId: string;
  callId: string;
}

/** What a person is shown to sign or to answer. Secrets are masked already, except in `rule`, which grants are matched with. */
export type Card = Pick<
  ApprovalRecord,
  'message' | 'options' | 'callHash' | 'workingDirectory' | 'sandbox' | 'preview' | 'question' | 'proposedRule' | 'rule'
> & { reason: AskReason };

/** A call needs approval, or asks a question, which a running tool may do too. */
export interface ApprovalRequested extends OfCall {
  kind: 'approval-requested';
  approvalId: string;
  card: Card;
  expiresAt: number | null;
}

/** How an approval ends. `supersede`: the call has changed, and needs another one. */
export interface ApprovalDecided extends OfCall {
  kind: 'approval-decided';
  approvalId: string;
  how: 'approve' | 'deny' | 'answer' | 'release' | 'expire' | 'supersede';
  by: string;
  /** The id of the client they signed with, or a name for it. */
  client?: string | undefined;
  /** Absent: once, and the audit record says nothing of it. */
  scope?: Scope;
  reason?: string | undefined;
  /** The words of a person to a question. */
  answer?: string;
  /** The rule that made it need approval, or that released it. */
  rule?: string | undefined;
  /** Of the decision as it was sent, to tell a repeat from a change of mind. Absent: no person decided it. */
  digest?: string;
  /** More fields of the message. */
  details?: Readonly<Record<string, unknown>>;
  /** What was approved. Without a hash nobody signed this very call, and its start depends on what the gate says then. */
  approved?: { arguments: string; callHash: string | null };
}

/** Committed before the tool begins (A8). */
export interface CallStarted extends OfCall {
  kind: 'call-started';
  epoch: number;
  /** Why the gate let it run. Absent: nothing runs, since a person's words are its result. */
  gate?: { because: string; rule?: string | undefined; grantId?: string | undefined };
  /** Its arguments, sealed, if the audit record shows something else (A40). */
  original?: string;
}

/** How a call ended. `refused`: it could not run (T11). `forbidden`: a rule or the mode denies it. `unknown`: nobody saw its end (S3). */
export type Settlement =
  | { kind: 'succeeded'; result: unknown }
  | { kind: 'failed'; error: string; result?: unknown }
  | { kind: 'refused'; error: string }
  | { kind: 'unknown'; error: string; outcome: UnknownOutcome }
  | { kind: 'denied'; error: string; reason: string }
  | { kind: 'forbidden'; error: string; reason: string; rule?: string | undefined };

export interface CallSettled extends OfCall {
  kind: 'call-settled';
  settlement: Settlement;
  /** What the model gets. */
  content: string;
}

/** Approving a call for always writes rules. */
export interface RulesAdded extends OfCall {
  kind: 'rules-added';
  worldId: string;
  /** All of the world's rules, with the new ones. */
  policy: readonly string[];
  added: readonly string[];
  by: string;
  client: string;
}

export function isOfWorld(fact: Fact): fact is WorldFact {
  return fact.kind === 'agent-added' || fact.kind === 'agent-removed' || fact.kind === 'world-deleted';
}

/** The chat that a fact is about. */
export function chatOf(fact: ChatFact): string {
  if ('chatId' in fact) return fact.chatId;
  if ('chat' in fact) return fact.chat.id;
  if ('message' in fact) return fact.message.chatId;
  if ('turn' in fact) return fact.turn.chatId;
  return 'call' in fact ? fact.call.chatId : fact.grant.chatId;
}
