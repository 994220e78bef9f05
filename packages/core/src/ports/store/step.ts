import type { McpToolRecord } from './mcp-records.js';
import type { CredentialRecord, GroupRecord, PersonRecord } from './people-records.js';
import type {
  AgentRecord,
  ApprovalRecord,
  AuditRecord,
  ChatRecord,
  ClientRecord,
  Emission,
  GrantRecord,
  CallRecord,
  MessageRecord,
  SigningRecord,
  TurnRecord,
} from './records.js';

/**
 * The state of a chat that can still change. Ended turns and their calls exist only in the transcript, so this doesn't grow with history.
 * `applyChange` is the only function that changes it.
 */
export interface ChatState {
  chat: ChatRecord;
  /** Unfinished turns by id. */
  turns: Map<string, TurnRecord>;
  /** The calls in the latest model response of each unfinished turn, by id, including settled ones. */
  calls: Map<string, CallRecord>;
  /** Pending approvals by id, oldest first. */
  approvals: Map<string, ApprovalRecord>;
  /** By agent: the number of started turns that answer a person's last message or a later one, except silent turns (WORLD6). */
  startedTurns: Map<string, number>;
}

/** The row changes of a step, in order. Derived from facts; applying them to a chat's state gives the state after the step. */
export type RowChange =
  | { kind: 'chat-created'; chat: ChatRecord }
  | { kind: 'chat-changed'; chatId: string; change: ChatChange }
  | { kind: 'chat-deleted'; chatId: string }
  | { kind: 'message-written'; message: MessageRecord }
  | { kind: 'turn-queued'; turn: TurnRecord }
  | { kind: 'turn-changed'; chatId: string; turnId: string; change: Partial<TurnRecord> }
  | { kind: 'call-proposed'; call: CallRecord }
  | { kind: 'call-changed'; chatId: string; callId: string; change: Partial<CallRecord> }
  /** A person has decided the same call, so its unknown outcome no longer forces an approval (STORE3). */
  | { kind: 'outcome-accepted'; chatId: string; toolName: string; arguments: string }
  | { kind: 'approval-requested'; approval: ApprovalRecord }
  /** The approval stays pending. */
  | { kind: 'approval-signed'; chatId: string; approvalId: string; signing: SigningRecord }
  | { kind: 'approval-settled'; chatId: string; agentId: string; approvalId: string; change: ApprovalVerdict }
  /** `key`: the index key of the grant; `''` if it may cover any call. */
  | { kind: 'grant-given'; grant: GrantRecord; key: string }
  | { kind: 'grant-used'; chatId: string; grantId: string; at: number }
  /** Increments the world's `rev`, as do the next two. */
  | { kind: 'policy-changed'; worldId: string; policy: readonly string[] }
  | { kind: 'agent-added'; agent: AgentRecord }
  | { kind: 'agent-removed'; worldId: string; agentId: string }
  /** Deletes the world's chats and all their data. Its id stays reserved, and its audit log is kept. */
  | { kind: 'world-deleted'; worldId: string };

export type ChatChange = Partial<Pick<ChatRecord, 'title' | 'titled' | 'status' | 'session' | 'branches' | 'filed'>>;
export type ApprovalVerdict = Pick<
  ApprovalRecord,
  'status' | 'decision' | 'scope' | 'reason' | 'decisionDigest' | 'decidedBy' | 'decidedAt'
>;

/** Keys for looking up the grants and unknown outcomes of a call. */
export interface CallKeys {
  chatId: string;
  agentId: string;
  toolName: string;
  argumentsText: string;
  keys: readonly [string, string];
}

/** The data that a step reads. A networked store loads all of it before the step; nothing else can be read in it. */
export interface StepNeeds {
  chats: readonly string[];
  /** Set if the step writes nothing. Other steps then don't have to wait for it. */
  isReadOnly?: boolean;
  /** Set if a read-only step may get this process's last known state, because the step that follows is checked. */
  recent?: boolean;
  clients?: readonly string[];
  /** Whether a client that can ask a person is connected (CALL13). */
  asker?: boolean;
  /** The tools to load, by the names that agents use. */
  mcpTools?: readonly string[];
  calls?: readonly CallKeys[];
  /** Whether to load the people and groups of the store (SIGN1). */
  people?: boolean;
  /** The agent whose pending approvals to count (CALL19). */
  pendingOf?: string;
  /** A message to look up: whether a client has already sent it (WORLD10). */
  sent?: { chatId: string; clientMessageId: string };
}

/** The current values of what a step declared in its needs. */
export interface StepReads {
  /** The store's clock. */
  now: number;
  /** `rev` of the step's world. Undefined if the world doesn't exist. */
  worldRev: number | undefined;
  /** Undefined if the chat doesn't exist. */
  chat(id: string): ChatState | undefined;
  /** Whether another process may have written to this chat since this one last did. */
  wroteElsewhere(chatId: string): boolean;
  /** Open and queued turns of the step's world before the step. */
  working(): number;
  client(id: string): ClientRecord | undefined;
  hasAsker(): boolean;
  mcpTool(name: string): McpToolRecord | undefined;
  /** AllPeople, including people who may not sign, all groups, and all passkeys and delegations that were not ended. */
  people(): {
    people: readonly PersonRecord[];
    groups: readonly GroupRecord[];
    passkeys: readonly Pick<CredentialRecord, 'id' | 'personId' | 'data'>[];
    delegations: readonly Pick<CredentialRecord, 'personId' | 'data' | 'expiresAt'>[];
  };
  /** Unrevoked grants that may cover this call, oldest first, including expired ones. */
  grants(call: CallKeys): readonly GrantRecord[];
  outcomeUnknown(call: CallKeys): boolean;
  /** The number of an agent's pending approvals per chat, largest first. Reliable only in a step that sets a `limit`. */
  pendingOf(agentId: string): readonly { chatId: string; waiting: number }[];
  /** The message that was sent with this id. */
  sent(chatId: string, clientMessageId: string): MessageRecord | undefined;
}

/** The writes of a step, committed atomically. */
export interface StepWrites {
  changes: readonly RowChange[];
  /** Numbered in the world's log when they are written. */
  emissions: readonly Emission[];
  /** Chained in the world's audit log. Secrets are already masked. */
  records: readonly NewAuditRecord[];
  /** Turns that can continue. If several processes share the store, each turn goes to one of them. */
  wakes: readonly string[];
  /** Rejects the step if it would leave the agent with more than `mostPending` pending approvals, including concurrent writes (CALL19). */
  limit?: { agentId: string; mostPending: number };
}

export type NewAuditRecord = Omit<AuditRecord, 'at' | 'worldId'>;
