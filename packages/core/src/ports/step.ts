import type { McpToolRecord } from './mcp-records.js';
import type {
  AgentRecord,
  ApprovalRecord,
  AuditRecord,
  ChatRecord,
  ClientRecord,
  Emission,
  GrantRecord,
  InvocationRecord,
  MessageRecord,
  TurnRecord,
} from './records.js';

/**
 * What is known of a chat while something can still happen in it. Ended turns and their calls are in its transcript only, so this does
 * not grow with history. `applyChange` is the only function that changes it.
 */
export interface ChatState {
  chat: ChatRecord;
  /** Unfinished ones, by id. */
  turns: Map<string, TurnRecord>;
  /** Calls of the latest model answer of each unfinished turn, by id; settled ones too. */
  calls: Map<string, InvocationRecord>;
  /** Pending ones, by id, oldest first. */
  approvals: Map<string, ApprovalRecord>;
  /** By agent: its turns that answer the last message of a person or a later one and have begun, except silent ones (M6). */
  begun: Map<string, number>;
}

/** What a step does to the rows of a store, in this order. Derived from facts; applied to the state of a chat, it gives the state after. */
export type RowChange =
  | { kind: 'chat-created'; chat: ChatRecord }
  | { kind: 'chat-changed'; chatId: string; change: ChatChange }
  | { kind: 'chat-deleted'; chatId: string }
  | { kind: 'message-written'; message: MessageRecord }
  | { kind: 'turn-queued'; turn: TurnRecord }
  | { kind: 'turn-changed'; chatId: string; turnId: string; change: Partial<TurnRecord> }
  | { kind: 'call-proposed'; call: InvocationRecord }
  | { kind: 'call-changed'; chatId: string; callId: string; change: Partial<InvocationRecord> }
  /** A person has decided about such a call, so its unknown outcome need not be asked about again (S3). */
  | { kind: 'outcome-accepted'; chatId: string; toolName: string; arguments: string }
  | { kind: 'approval-requested'; approval: ApprovalRecord }
  | { kind: 'approval-settled'; chatId: string; agentId: string; approvalId: string; change: ApprovalVerdict }
  /** `key`: what the grants of a call are found by; `''` if any call may be covered by it. */
  | { kind: 'grant-given'; grant: GrantRecord; key: string }
  | { kind: 'grant-used'; chatId: string; grantId: string; at: number }
  /** Raises the world's `rev`, like the next two. */
  | { kind: 'policy-changed'; worldId: string; policy: readonly string[] }
  | { kind: 'agent-added'; agent: AgentRecord }
  | { kind: 'agent-removed'; worldId: string; agentId: string }
  /** With its chats and all that belongs to them. Its id stays taken and its audit log stays. */
  | { kind: 'world-deleted'; worldId: string };

export type ChatChange = Partial<Pick<ChatRecord, 'title' | 'titled' | 'status'>>;
export type ApprovalVerdict = Pick<
  ApprovalRecord,
  'status' | 'decision' | 'scope' | 'reason' | 'decisionDigest' | 'decidedBy' | 'decidedAt'
>;

/** A call as grants and unknown outcomes are looked up for it. */
export interface CallKeys {
  chatId: string;
  agentId: string;
  toolName: string;
  argumentsText: string;
  keys: readonly [string, string];
}

/** What a step will read. A store over a network loads it all before the step; nothing else can be read in it. */
export interface StepNeeds {
  chats: readonly string[];
  /** It writes nothing, so that no other step has to wait for it. */
  isLook?: boolean;
  /** For a look: it may be given what this process last knew, because the step that follows it is checked. */
  recent?: boolean;
  clients?: readonly string[];
  /** Whether a client is there that can ask a person (A13). */
  asker?: boolean;
  /** By the names that agents know them by. */
  mcpTools?: readonly string[];
  calls?: readonly CallKeys[];
  /** How many approvals of this agent are pending (A34). */
  pendingOf?: string;
  /** Whether a client has sent this message before (M10). */
  sent?: { chatId: string; clientMessageId: string };
}

/** What a step reads, as of now. Only what it said it needs. */
export interface StepReads {
  /** The store's clock. */
  now: number;
  /** `rev` of the step's world; undefined if there is no such world. */
  worldRev: number | undefined;
  /** Undefined: there is no such chat. */
  chat(id: string): ChatState | undefined;
  /** Another process may have written in this chat since this one last did. */
  wroteElsewhere(chatId: string): boolean;
  /** Open and queued turns of the step's world, before the step. */
  working(): number;
  client(id: string): ClientRecord | undefined;
  hasAsker(): boolean;
  mcpTool(name: string): McpToolRecord | undefined;
  /** Not revoked, oldest first: those that may cover this call, however long ago they were used. */
  grants(call: CallKeys): readonly GrantRecord[];
  outcomeUnknown(call: CallKeys): boolean;
  /** How many of one agent wait in each chat of the step's world, most first. Only good for a step that sets a `limit`. */
  pendingOf(agentId: string): readonly { chatId: string; waiting: number }[];
  /** The message that was sent under this id. */
  sent(chatId: string, clientMessageId: string): MessageRecord | undefined;
}

/** What a step writes: all of it, or nothing. */
export interface StepWrites {
  changes: readonly RowChange[];
  /** Numbered in the world's log when they are written. */
  emissions: readonly Emission[];
  /** Chained in the world's audit log. Masked already. */
  records: readonly NewAuditRecord[];
  /** Turns that can go on. Where several processes share the store, one of them gets each. */
  wakes: readonly string[];
  /** Refuses the step if more approvals than this of the agent would be pending, also by what others write at the same time (A34). */
  limit?: { agentId: string; mostPending: number };
}

export type NewAuditRecord = Omit<AuditRecord, 'at' | 'worldId'>;
