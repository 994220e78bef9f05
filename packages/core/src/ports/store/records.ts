import type {
  AgentDefinition,
  ApprovalOption,
  ApprovalStatus,
  Attachment,
  AuditEntry,
  AuditRecord,
  CallSandbox,
  ChatStatus,
  Effect,
  MessageAttachment,
  NoEffect,
  CallContext,
  Prediction,
  Preview,
  SessionOffer,
  Principal,
  Role,
  Scope,
  ToolCall,
  Usage,
  WorldEvent,
  WorldSettings,
  QuestionForm,
  Who,
} from '@countersign/protocol';

/** Rows in the form that core uses. Times are milliseconds since 1970 by the store's clock. */

export interface WorldRecord {
  id: string;
  name: string;
  settings: WorldSettings;
  /** The world's policy, one rule per line. */
  policy: readonly string[];
  /** Allow rules from an import. They have no effect until a person adds them to the policy (HTTP2). */
  proposed: readonly string[];
  /** Incremented by every change to settings, policy or agents. Caches are keyed by it. */
  rev: number;
  createdAt: number;
}

export interface AgentRecord {
  worldId: string;
  /** Never reused within its world, even after deletion, because grants refer to it (CALL17). */
  id: string;
  definition: AgentDefinition;
  /** The agents that created this one, directly or through others. Empty if a person did. */
  makers: readonly string[];
  createdAt: number;
}

/** In `makers`: an agent created this one before makers were stored. */
export const UNKNOWN_AGENT = '?';

export interface ChatRecord {
  id: string;
  worldId: string;
  title: string;
  /** False while the chat has its default title and no model has been asked for a better one (WORLD7). */
  titled: boolean;
  status: ChatStatus;
  /** The sequence number of the last message. */
  lastSeq: number;
  /** The sequence number of the last message from a human or the world. Turn limits count from there (WORLD6). */
  humanSeq: number;
  /** The JSON of a `ProgramSession`: the chat belongs to a session of a program outside. Null for other chats. */
  session: string | null;
  /** The first chat of its branches (WORLD17). Null if it isn't a branch. */
  root: string | null;
  /** The JSON of `ChatPart[]`: what a branch begins with, oldest first, never empty. Null if it isn't a branch. */
  parts: string | null;
  /** How many branches begin with its messages. */
  branches: number;
  /** Where lists show it, if a person chose a place (WORLD18). */
  filed: 'pinned' | 'archived' | null;
  createdAt: number;
}

/** The messages of a chat up to a position. */
export interface ChatPart {
  readonly chatId: string;
  readonly upto: number;
}

export type SpeakerKind = 'human' | 'world' | 'agent' | 'tool' | 'system';

export interface MessageRecord {
  id: string;
  worldId: string;
  chatId: string;
  /** The position in the chat, from 1, without gaps. */
  seq: number;
  role: Role;
  sender: string;
  /** The JSON of a `Who`: the person who sent the message or decided the approval. Never sent to a model. */
  who: string | null;
  /** Determined by how the message arrived; never derived from the sender's name (WORLD4). */
  speaker: SpeakerKind;
  agentId: string | null;
  /** The turn that the message belongs to: an agent's calls, results, approvals and answer. */
  turnId: string | null;
  /** The model call within the turn that the message belongs to, from 1. */
  iteration: number | null;
  replyTo: string | null;
  content: string;
  toolCalls: readonly ToolCall[] | null;
  toolCallId: string | null;
  /** The agents that answer this message. Their turns were written in the same step (STORE1). */
  addressees: readonly string[];
  /** The provider, model and usage of an answer. `state` is returned only to the same provider and model (MODEL1). */
  providerState: {
    provider: string;
    model: string;
    /** Unknown if the answer was stopped. */
    usage?: Usage;
    /** Who stopped the answer before it was complete (WORLD9.3). */
    stoppedBy?: Who;
    /** Shown to people, and never sent to a model (MODEL11). */
    thinking?: string;
    state?: unknown;
    vendorIds: readonly string[];
  } | null;
  clientMessageId: string | null;
  /** The files of a person's message. Their content is stored with the chat (TURN17). */
  attachments: readonly MessageAttachment[] | null;
  /** Argument values of the call that are secret because of their name. They are masked wherever this message repeats them (SAFE6). */
  secrets: readonly string[];
  createdAt: number;
}
export type NewMessage = Omit<MessageRecord, 'seq' | 'createdAt'>;

/** `queued`: behind an unfinished turn of the same agent and chat. `waiting`: for a person or a client. */
export type TurnState = 'queued' | 'open' | 'waiting' | 'ended';
export type TurnOutcome =
  | 'answered'
  | 'passed'
  | 'failed'
  | 'stopped'
  | 'exhausted'
  | 'interrupted'
  | 'handed-over'
  | 'silent';

export interface TurnRecord {
  /** `turn_{message}.{agent}`: one message causes at most one turn per agent, even if it is written twice. */
  id: string;
  worldId: string;
  chatId: string;
  agentId: string;
  triggerId: string;
  triggerSeq: number;
  /**
   * The JSON of a `Who`: whose message led to this turn, directly or through other agents. An array if several people requested its calls. Null if
   * unknown.
   */
  requester: string | null;
  /** The approval that the agent reviews in this turn (SIGN3). Null in all other turns. */
  review: string | null;
  state: TurnState;
  outcome: TurnOutcome | null;
  /** Number of completed model calls. */
  iteration: number;
  /** Incremented by a takeover or stop. A process with an older epoch can't write. */
  epoch: number;
  /** The process that runs the turn, or null. */
  owner: string | null;
  /** How many times a process died while running this turn (STORE3). */
  interruptions: number;
  /** The chat's last message when the turn started; the turn sees nothing later (WORLD14). Null before it starts. */
  begunSeq: number | null;
  inputTokens: number;
  outputTokens: number;
  /** What the tokens cost, in millionths of a US dollar. Null if no price is known. */
  microdollars: number | null;
  createdAt: number;
  endedAt: number | null;
}

export type CallStatus = 'asked' | 'approved' | 'started' | 'succeeded' | 'failed' | 'denied';

/** Who runs a call: this server, a connected client, or the program outside that proposed it (EXT1). */
export type RunBy = 'here' | 'client' | 'program';

export interface CallRecord {
  /** Our own id, unique in the store. Messages refer to the call by it (MODEL5). */
  id: string;
  worldId: string;
  chatId: string;
  agentId: string;
  turnId: string;
  iteration: number;
  /** The position among the calls in its model response, from 0. */
  position: number;
  messageId: string;
  toolName: string;
  /** Exactly the text that was hashed and that runs (CALL7). */
  arguments: string;
  /** Everyone who changed the arguments, as JSON (CALL7). Null if nobody did. */
  editedBy: string | null;
  callHash: string | null;
  status: CallStatus;
  runBy: RunBy;
  readOnly: boolean;
  idempotent: boolean;
  /** The call's current approval. Null if it never needed one. */
  approvalId: string | null;
  /**
   * The turn's epoch when the call started. If the turn's epoch is higher now, the process that started the call is gone. Null if it hasn't
   * started, or if a program outside has fetched it.
   */
  startedEpoch: number | null;
  /** The result for the model. Null until the call is settled. */
  result: string | null;
  /** Set if the call was interrupted. The same call then needs approval next time, regardless of rules (STORE3). */
  outcomeUnknown: boolean;
  createdAt: number;
  startedAt: number | null;
  settledAt: number | null;
}

/** `call`: the call itself is the question. `tool`: asked by a running tool; the question ends with the call at the latest. */
export interface QuestionRecord {
  text: string;
  choices: readonly string[];
  form?: QuestionForm;
  approves?: true;
  raisedBy: 'call' | 'tool';
}

/** An ask rule that says who must sign (SIGN1). */
interface SigningRuleRecord {
  rule: string;
  by: {
    readonly count: number;
    readonly of?: string;
    readonly notRequester?: true;
    readonly agent?: string;
    readonly passkey?: true;
  };
}

/** A signature on a call that needs several, or one of certain people. */
interface SignatureRecord {
  who: Who;
  via: string;
  at: number;
  /** The id of the passkey that it was made with. */
  passkey?: string;
  /** The person whose right to sign was used (SIGN4). */
  for?: Principal;
  /** The hash of the batch that was signed. The signature counts only for that. */
  batch?: string;
}

/** Which rules say who must sign a call, and who has signed it so far. */
export interface SigningRecord {
  rules: readonly SigningRuleRecord[];
  signed: readonly SignatureRecord[];
}

/**
 * The rehearsal of a call as shown with its approval, masked and truncated. `ms`: how long it took; absent if the call wasn't run because there
 * was no point in it, or because its tool knows the effect without running it (CHANGE7).
 */
export type RehearsalRecord =
  | { readonly ms?: number; readonly effect: Effect }
  | { readonly ms?: number; readonly noEffect: NoEffect };

/** What a call would do if the program that runs it does what it says. For people only: nothing signs, judges or applies it (CHANGE9). */
export interface ClaimedEvidence {
  /** So that no function of `policy` or `requirements` can take it for something signed. */
  readonly isClaim: true;
  /** How long the rehearsal took that predicted it. Absent if nothing ran, because the call only writes files. */
  readonly ms?: number;
  readonly prediction?: Prediction;
  /** What the program that proposed the call says about its session (EXT1.21). */
  readonly context?: CallContext;
}

/** Claimed evidence with a prediction. */
export type PredictedEvidence = ClaimedEvidence & { readonly prediction: Prediction };

export interface ApprovalRecord {
  id: string;
  worldId: string;
  chatId: string;
  agentId: string;
  invocationId: string;
  /** The message with the `client.requestApproval` call. */
  messageId: string;
  toolName: string;
  callHash: string;
  message: string;
  options: readonly ApprovalOption[];
  /** The JSON of an `AskReason`. */
  why: string;
  /** The ask rule that required the approval, if any. */
  rule: string | null;
  /** What `approve_session` can cover. Null if it isn't offered. */
  session: SessionOffer | null;
  proposedRule: string | null;
  /** The working directory of the call. It is part of the signature, so people see it (CALL7). */
  workingDirectory: string;
  sandbox: CallSandbox;
  /** What the call would change, masked, if its tool provides a preview. */
  preview: Preview | null;
  /** What the call will do, if its tool can rehearse it. */
  rehearsal: RehearsalRecord | null;
  /** What the call would do, if another program runs it itself. */
  claimed: ClaimedEvidence | null;
  /** What approving does: run the call, apply the rehearsed draft, or tell the program of an ACP agent yes, which takes no edit (EXT3). */
  applies: 'call' | 'draft' | 'verdict';
  /** Set if people are asked for an answer instead of an approval. */
  question: QuestionRecord | null;
  /** Null if no rule says who must sign. */
  signing: SigningRecord | null;
  status: ApprovalStatus;
  decision: 'approve' | 'deny' | null;
  scope: Scope | null;
  reason: string | null;
  /** Digest of the sent decision, to distinguish a repeat from a different decision (HTTP14). */
  decisionDigest: string | null;
  /** The JSON of a `Who`. */
  decidedBy: string | null;
  requestedAt: number;
  expiresAt: number | null;
  decidedAt: number | null;
}

export interface GrantRecord {
  id: string;
  worldId: string;
  chatId: string;
  agentId: string;
  toolName: string;
  /** The real folder of the call that it was given for, or `unknown`. Null in older grants: the world's. The grant covers no other one (CALL5.9). */
  folder: string | null;
  pattern: string | null;
  /** The ask rule that the grant was given for, if any. The grant overrides no other ask rule (CALL2). */
  answeredRule: string | null;
  /** The JSON of a `Who`. */
  grantedBy: string;
  grantedAt: number;
  lastUsedAt: number;
  revokedAt: number | null;
}

/** A registered client (HTTP2 `clients`, CALL16). */
export interface ClientRecord {
  id: string;
  worldId: string;
  label: string;
  secretHash: string;
  approvals: boolean;
  /** The definitions of the client's tools, as JSON. */
  tools: readonly unknown[];
  /** Null while connected; otherwise the time it disconnected. */
  leftAt: number | null;
  /** The process that the client is connected to, or an empty string. */
  connectedTo: string;
  createdAt: number;
}

/** An event that a step publishes. A `message` event is stored as a reference, so that a large message isn't written twice. */
export type Emission =
  | { event: 'message'; chatId: string; message: MessageRecord }
  | {
      [E in Exclude<WorldEvent['event'], 'message' | 'sse' | 'tool-output'>]: {
        event: E;
        chatId: string | null;
        data: Extract<WorldEvent, { event: E }>['data'];
      };
    }[Exclude<WorldEvent['event'], 'message' | 'sse' | 'tool-output'>];

/** An emission with its number in the world's log. */
export type StoredEvent = Emission & { id: number; worldId: string; at: number };

/** The content of a file that a tool returned. */
export interface AttachmentRecord {
  chatId: string;
  /** The SHA-256 of the content. */
  id: string;
  kind: Attachment['kind'];
  mimeType: string;
  /** In base64, which models and both databases accept. */
  data: string;
}

export type { AuditEntry, AuditRecord };
