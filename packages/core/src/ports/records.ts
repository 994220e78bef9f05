import type {
  AgentDefinition,
  ApprovalOption,
  ApprovalStatus,
  AuditEntry,
  AuditRecord,
  CallSandbox,
  ChatStatus,
  Preview,
  Role,
  Scope,
  ToolCall,
  Usage,
  WorldEvent,
  WorldSettings,
} from '@countersign/protocol';

/** Rows as core sees them. Times are milliseconds since 1970 by the store's clock. */

export interface WorldRecord {
  id: string;
  name: string;
  settings: WorldSettings;
  /** The world's policy, one rule a line. */
  policy: readonly string[];
  /** Allow rules that came with an import. They count for nothing until a person has put them into the policy (W3). */
  proposed: readonly string[];
  /** Rises with every change of settings, policy or agents: caches are keyed by it. */
  rev: number;
  createdAt: number;
}

export interface AgentRecord {
  worldId: string;
  /** Never reused in its world, also after deletion: grants bind to it (A22). */
  id: string;
  definition: AgentDefinition;
  createdAt: number;
}

export interface ChatRecord {
  id: string;
  worldId: string;
  title: string;
  /** False while the title is the default and nobody has tried to find a better one (M7). */
  titled: boolean;
  status: ChatStatus;
  /** The number of the last message. */
  lastSeq: number;
  /** The number of the last message of a human or the world: turn limits count from there (M6). */
  humanSeq: number;
  createdAt: number;
}

export type SpeakerKind = 'human' | 'world' | 'agent' | 'tool' | 'system';

export interface MessageRecord {
  id: string;
  worldId: string;
  chatId: string;
  /** Position in the chat, from 1, without gaps. */
  seq: number;
  role: Role;
  sender: string;
  /** How the message came in; never guessed from the sender's name (M4). */
  speaker: SpeakerKind;
  agentId: string | null;
  /** The turn this message belongs to: an agent's calls, results, approvals and answer. */
  turnId: string | null;
  /** Which model call of the turn it belongs to, from 1. */
  iteration: number | null;
  replyTo: string | null;
  content: string;
  toolCalls: readonly ToolCall[] | null;
  toolCallId: string | null;
  /** The agents that answer this message: a turn of each was written with it (S1). */
  addressees: readonly string[];
  /** Where a model's answer came from and what it cost. `state` goes back to the same provider and model only (P1). */
  providerState: {
    provider: string;
    model: string;
    usage: Usage;
    state?: unknown;
    vendorIds: readonly string[];
  } | null;
  clientMessageId: string | null;
  /** Values of the call's arguments that are secret by their name alone: masked wherever this message repeats them (A15). */
  secrets: readonly string[];
  createdAt: number;
}
export type NewMessage = Omit<MessageRecord, 'seq' | 'createdAt'>;

/** `queued` waits behind an unfinished turn of the same agent and chat; `waiting` has nothing to do until somebody answers. */
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
  /** `turn_{message}.{agent}`: one message makes at most one turn of an agent, however often it is written. */
  id: string;
  worldId: string;
  chatId: string;
  agentId: string;
  triggerId: string;
  triggerSeq: number;
  state: TurnState;
  outcome: TurnOutcome | null;
  /** Model calls that have been answered. */
  iteration: number;
  /** Raised by takeover and stop: who holds an older one can't write any more. */
  epoch: number;
  /** The process that runs it, or null. */
  owner: string | null;
  /** How often a process died while it ran this turn (S3). */
  interruptions: number;
  /** The chat's last message when the turn began: it sees nothing later (C1). Null until it begins. */
  begunSeq: number | null;
  inputTokens: number;
  outputTokens: number;
  createdAt: number;
  endedAt: number | null;
}

export type InvocationStatus = 'asked' | 'approved' | 'started' | 'succeeded' | 'failed' | 'denied';

export interface InvocationRecord {
  /** Ours, unique in the store; the id of the call in messages (P5). */
  id: string;
  worldId: string;
  chatId: string;
  agentId: string;
  turnId: string;
  iteration: number;
  /** Place among the calls of its model answer, from 0. */
  position: number;
  messageId: string;
  toolName: string;
  /** The very text that was hashed and that runs (A7). */
  arguments: string;
  /** True when a person changed the arguments while approving (A7). */
  edited: boolean;
  callHash: string | null;
  status: InvocationStatus;
  location: 'server' | 'client';
  readOnly: boolean;
  idempotent: boolean;
  /** The approval that stands for it now, if it was ever asked. */
  approvalId: string | null;
  /** The epoch of the turn when it was started: an older one means that its process is gone. */
  startedEpoch: number | null;
  /** What the model gets, once settled. */
  result: string | null;
  /** Started and never heard of again: the same call is asked next time, whatever rules say (S3). */
  outcomeUnknown: boolean;
  createdAt: number;
  startedAt: number | null;
  settledAt: number | null;
}

/** `call`: the call is the question, and waits as long as it does. `tool`: a running tool put it, and it ends with the call at the latest. */
export interface QuestionRecord {
  text: string;
  choices: readonly string[];
  raisedBy: 'call' | 'tool';
}

export interface ApprovalRecord {
  id: string;
  worldId: string;
  chatId: string;
  agentId: string;
  invocationId: string;
  /** The message that holds the `client.requestApproval` call. */
  messageId: string;
  toolName: string;
  callHash: string;
  message: string;
  options: readonly ApprovalOption[];
  /** The JSON of its reason; a sentence if an older version wrote it (`readReason`). */
  why: string;
  /** The ask rule that made it ask, if one did. */
  rule: string | null;
  proposedRule: string | null;
  /** Where the call would act: part of what is signed, so part of what is shown (A7). */
  workingDirectory: string;
  sandbox: CallSandbox;
  /** What it would change, masked, if its tool can tell. */
  preview: Preview | null;
  /** Present when people are asked for words and not for a signature. */
  question: QuestionRecord | null;
  status: ApprovalStatus;
  decision: 'approve' | 'deny' | null;
  scope: Scope | null;
  reason: string | null;
  /** Digest of the decision as it was sent, to tell a repeat from a change of mind (W5). */
  decisionDigest: string | null;
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
  pattern: string | null;
  /** The ask rule it answered, if any: only that one it overrules (A2). */
  answeredRule: string | null;
  grantedBy: string;
  grantedAt: number;
  lastUsedAt: number;
  revokedAt: number | null;
}

/** A client that registered what it can do (W3 `clients`, A18). */
export interface ClientRecord {
  id: string;
  worldId: string;
  label: string;
  secretHash: string;
  approvals: boolean;
  /** Definitions of the tools it offers, as JSON. */
  tools: readonly unknown[];
  /** Null while connected; the time it was cut otherwise. */
  leftAt: number | null;
  /** The process that has its stream; empty while it has none. */
  connectedTo: string;
  createdAt: number;
}

/** What a step publishes. A `message` event is stored as a reference, so that a large message is not written twice. */
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

export type { AuditEntry, AuditRecord };
