import type {
  AskReason,
  Attachment,
  NeededSignatures,
  Principal,
  Scope,
  Signer,
  StoredReceipt,
  UnknownOutcome,
  Usage,
  Who,
} from '@countersign/protocol';
import type {
  ApprovalRecord,
  ChatRecord,
  ChatState,
  PredictedEvidence,
  Emission,
  GrantRecord,
  CallRecord,
  MessageRecord,
  NewAuditRecord,
  NewMessage,
  RehearsalRecord,
  RowChange,
  TurnOutcome,
  TurnRecord,
} from '../ports/index.js';
import type { StepWorldFact } from './world-fact.js';

/**
 * Something that happened. A closed union: commands produce facts, and `derive` returns each fact's row changes, messages, events and audit records.
 * No other code writes a transition.
 */
export type Fact = ChatFact | StepWorldFact;

export type ChatFact =
  | { kind: 'chat-created'; chat: ChatRecord }
  /** If there is no title, nothing is published: the chat keeps its default title, and no model is called again (WORLD7). */
  | { kind: 'chat-titled'; chatId: string; title: string | undefined }
  | { kind: 'chat-filed'; chatId: string; filed: ChatRecord['filed'] }
  | { kind: 'chat-deleted'; chatId: string }
  /** A branch was started or deleted: `branches` now begin with messages of this chat. */
  | { kind: 'chat-branched'; chatId: string; branches: number }
  /** Computed from the chat's turns at the end of a step (WORLD8). */
  | { kind: 'activity-changed'; chatId: string; status: ChatRecord['status'] }
  | { kind: 'message-sent'; message: MessageRecord }
  /** A notice for people. It is in the transcript, but no model sees it. */
  | { kind: 'notice-written'; message: MessageRecord; type: 'error' | 'notice' }
  /** A notice that isn't in the transcript. */
  | { kind: 'notice-shown'; chatId: string; message: string }
  /** A person told the agent of a session outside something, or its hook got it (EXT1.23). */
  | SessionTold
  | SentenceTaken
  /** A person stopped everything in the chat. `isSaid`: partial answers say so, so no notice does. */
  | { kind: 'chat-stopped'; chatId: string; by: Signer; isSaid: boolean }
  | TurnFact
  | CallFact
  /** A person has decided the same call, so its unknown outcome no longer forces an approval (STORE3). */
  | { kind: 'outcome-accepted'; chatId: string; toolName: string; arguments: string }
  /** `key`: the index key of the grant; `''` if it may cover any call. */
  | { kind: 'grant-given'; grant: GrantRecord; key: string }
  | RulesAdded;

export type TurnFact =
  | { kind: 'turn-queued'; turn: TurnRecord }
  /** `begunSeq`: the last message that the turn sees. */
  | (OfTurn & { kind: 'turn-opened'; begunSeq: number; owner: string | null })
  /** The model's calls or text; no message if it returned nothing. */
  | (OfTurn & { kind: 'model-answered'; usage: Usage; message: MessageRecord | undefined })
  /** The turn waits for a person or a client. */
  | (OfTurn & { kind: 'turn-paused' })
  /** The turn can continue. `fenced`: the process that ran it before can no longer write. */
  | (OfTurn & { kind: 'turn-resumed'; owner: string | null; fenced: boolean })
  /** A process takes a turn that nobody runs. The process that ran it before can no longer write. */
  | (OfTurn & { kind: 'turn-claimed'; owner: string; interruptions: number })
  /** The turn's process is gone or shutting down. */
  | (OfTurn & { kind: 'turn-released'; interruptions: number })
  /** `begunSeq`: set for a turn that ends before it starts (WORLD6). `by`: who stopped it. */
  | (OfTurn & { kind: 'turn-ended'; outcome: TurnOutcome; begunSeq?: number; by?: Who });

type CallFact =
  | { kind: 'call-proposed'; call: CallRecord }
  /** A rehearsal found what the call will do, or that this can't be known. Written before the approval that shows it. */
  | CallRehearsed
  /** A person changed the arguments, and the call needs approval again because its effect is another one (CHANGE6). */
  | CallEdited
  | ApprovalRequested
  | ApprovalSigned
  | ApprovalDecided
  | CallStarted
  /** The call hasn't started or may run again: the next run of the turn starts it. */
  | (OfCall & { kind: 'call-requeued' })
  /** An external program got the call to run it, which it can once. */
  | (OfCall & { kind: 'call-fetched' })
  | CallSettled
  | CallUndo;

interface OfTurn {
  chatId: string;
  turnId: string;
}
interface OfCall {
  chatId: string;
  callId: string;
}

/** What a person approves or answers. Secrets are masked, except in `rule`, which is compared with grants. */
export type Card = Pick<
  ApprovalRecord,
  | 'message'
  | 'options'
  | 'callHash'
  | 'workingDirectory'
  | 'sandbox'
  | 'preview'
  | 'rehearsal'
  | 'claimed'
  | 'applies'
  | 'question'
  | 'session'
  | 'proposedRule'
  | 'rule'
  | 'signing'
> & { reason: AskReason; needs: readonly NeededSignatures[] | null };

export interface CallRehearsed extends OfCall {
  kind: 'call-rehearsed';
  rehearsal: RehearsalRecord | PredictedEvidence;
}

export interface CallEdited extends OfCall {
  kind: 'call-edited';
  arguments: string;
  by: Signer;
}

/** A call needs approval or asks a question, or a running tool asks one. */
export interface ApprovalRequested extends OfCall {
  kind: 'approval-requested';
  approvalId: string;
  card: Card;
  expiresAt: number | null;
  /** What the gate judged, sealed. */
  judged?: string;
}

/** Several calls that a person decided together. Their hash covers them, their order and what they change. */
export interface BatchName {
  readonly id: string;
  readonly hash: string;
}

/** A person signed, and the call needs more signatures: the approval stays pending (SIGN1). */
export interface ApprovalSigned extends OfCall {
  kind: 'approval-signed';
  approvalId: string;
  by: Signer;
  /** The person whose right to sign is used (SIGN4). */
  principal?: Principal | undefined;
  reason?: string | undefined;
  /** The rule that the signature is recorded under. */
  rule?: string | undefined;
  /** The batch that was signed. The signature counts for nothing else. */
  batch?: BatchName | undefined;
  /** The signatures that the call needs and has, including this one, as shown to people. */
  needs: readonly NeededSignatures[];
  /** With a passkey: its id, and what it signed. */
  receipt?: { passkeyId: string; receipt: StoredReceipt };
}

/** How an approval ends. `supersede`: the call has changed and needs a new approval. */
export interface ApprovalDecided extends OfCall {
  kind: 'approval-decided';
  approvalId: string;
  how: 'approve' | 'deny' | 'answer' | 'release' | 'expire' | 'supersede';
  by: Who;
  /** The device or client that the decision came from. Absent if no person decided, or unknown. */
  via?: string | undefined;
  /** The id of that client, if it is registered. */
  client?: string | undefined;
  /** Default: `once`, and the audit record omits it. */
  scope?: Scope;
  reason?: string | undefined;
  /** How long the card was on the screen, as far as the client says. */
  shownMs?: number;
  /** A person's answer to a question. */
  answer?: string;
  /** The rule that required the approval, or that released the call. */
  rule?: string | undefined;
  /** Set if the call was decided together with others. */
  batch?: BatchName | undefined;
  /** Digest of the sent decision, to distinguish a repeat from a different decision. Absent if no person decided. */
  digest?: string;
  /** Additional fields for the message. */
  details?: Readonly<Record<string, unknown>>;
  /** What a passkey signed, if one did. */
  receipt?: StoredReceipt | undefined;
  /** The id of that passkey. */
  passkey?: string | undefined;
  /** The person whose right to sign was used (SIGN4). */
  principal?: Principal | undefined;
  /** The approved call. Without a hash, nobody approved exactly this call, so the gate decides when it starts. */
  approved?: { callHash: string | null };
}

/** Committed before the tool runs (CALL8). */
export interface CallStarted extends OfCall {
  kind: 'call-started';
  epoch: number;
  /** Why the gate allowed it. Absent if nothing runs, because a person's answer is the result. */
  gate?: { because: string; rule?: string | undefined; grantId?: string | undefined };
  /** The sealed arguments, if they are masked in the audit record (LOG2). */
  original?: string;
  /** What the gate judged, sealed, unless a person decided. */
  judged?: string;
}

export const NOT_CLAIMED = 'The program no longer waited for this call, so nothing ran.';

/** `conflict`: somebody else changed the same files, and nothing was applied (CHANGE2). `attempts`: how often it ran, if more than once. */
interface FailedCall {
  kind: 'failed';
  error: string;
  result?: unknown;
  attachments?: readonly Attachment[];
  conflict?: true;
  attempts?: number;
}

/** How a call ended. `refused`: it couldn't run (TURN11). `forbidden`: a rule or the mode denied it. `unknown`: it was interrupted (STORE3). */
export type Settlement =
  | { kind: 'succeeded'; result: unknown; attachments?: readonly Attachment[]; attempts?: number }
  /** An external program was allowed to run the call, and didn't report how it ended (EXT1). */
  | { kind: 'not-reported' }
  /** A call of an external program was approved, but the program no longer waited for it. Nothing ran. */
  | { kind: 'not-claimed' }
  | FailedCall
  | { kind: 'refused'; error: string }
  | { kind: 'unknown'; error: string; outcome: UnknownOutcome }
  | { kind: 'denied'; error: string; reason: string }
  | { kind: 'forbidden'; error: string; reason: string; rule?: string | undefined };

export interface CallSettled extends OfCall {
  kind: 'call-settled';
  toolName: string;
  settlement: Settlement;
  /** The result for the model. */
  content: string;
  /** What the gate judged, sealed, if it refused the call. */
  judged?: string;
}

/**
 * A person undoes a settled call. `signed` is committed before anything is reverted, so that nothing is reverted without a record; `done` or
 * `failed` follows.
 */
export interface CallUndo {
  kind: 'call-undo';
  state: 'signed' | 'done' | 'failed';
  call: CallRecord;
  /** The hash of what the person saw and signed. */
  effectHash: string;
  by: Signer;
  /** Its turn has ended, so the step doesn't have it. */
  requester?: Who;
  why?: string;
}

export interface SessionTold {
  kind: 'session-told';
  chatId: string;
  text: string;
  by: Signer;
}

/** From then on, everyone who told the agent something requests its calls. `takenBy`: the delivery that got the sentence. */
export interface SentenceTaken {
  kind: 'sentence-taken';
  chatId: string;
  takenBy: string;
}

/** Approving with scope `always` adds rules. */
export interface RulesAdded extends OfCall {
  kind: 'rules-added';
  worldId: string;
  /** All rules of the world, including the new ones. */
  policy: readonly string[];
  added: readonly string[];
  by: Signer;
}

/** The effects of a fact, in the order in which they are applied. */
export interface Derived {
  changes: readonly RowChange[];
  events?: readonly Emission[];
  records?: readonly NewAuditRecord[];
}

export type MessageFields = Partial<NewMessage> & Pick<NewMessage, 'role' | 'sender' | 'speaker' | 'content'>;

/** Input for deriving facts: the chat before the fact, and data from the step. */
export interface FactContext {
  now: number;
  state: ChatState;
  /** Open and queued turns of the world before the fact. */
  working: () => number;
  agentName: (agentId: string) => string;
  /** Assigns a message its id and position in the chat. */
  message: (fields: MessageFields) => MessageRecord;
}
