import type {
  ApprovalsTable,
  ChatsTable,
  ClientsTable,
  GrantsTable,
  InvocationsTable,
  McpToolsTable,
  MessagesTable,
  TurnsTable,
} from './schema.js';

/** The columns of each table in select order, shared by both databases. */

export const approvalColumns = [
  'id',
  'world_id',
  'chat_id',
  'agent_id',
  'invocation_id',
  'message_id',
  'tool_name',
  'call_hash',
  'message',
  'options',
  'why',
  'rule',
  'session',
  'proposed_rule',
  'working_directory',
  'sandbox',
  'preview',
  'preview_truncated',
  'rehearsal',
  'question',
  'signing',
  'status',
  'decision',
  'scope',
  'reason',
  'decision_digest',
  'decided_by',
  'requested_at',
  'expires_at',
  'decided_at',
] as const satisfies readonly (keyof ApprovalsTable)[];

export const chatColumns = [
  'id',
  'world_id',
  'title',
  'titled',
  'status',
  'last_seq',
  'human_seq',
  'created_at',
] as const satisfies readonly (keyof ChatsTable)[];

export const clientColumns = [
  'id',
  'world_id',
  'label',
  'secret_hash',
  'approvals',
  'tools',
  'left_at',
  'connected_to',
  'created_at',
] as const satisfies readonly (keyof ClientsTable)[];

export const grantColumns = [
  'id',
  'world_id',
  'chat_id',
  'agent_id',
  'tool_name',
  'pattern',
  'answered_rule',
  'granted_by',
  'granted_at',
  'last_used_at',
  'revoked_at',
] as const satisfies readonly (keyof GrantsTable)[];

/** `pattern_key` is only used for lookups and is never selected. */
export const writtenGrantColumns = [...grantColumns, 'pattern_key'] as const satisfies readonly (keyof GrantsTable)[];

/** Only the columns that the caller doesn't already have. */
export const foundGrantColumns = [
  'id',
  'world_id',
  'pattern',
  'answered_rule',
  'granted_by',
  'granted_at',
  'last_used_at',
] as const satisfies readonly (keyof GrantsTable)[];

export const invocationColumns = [
  'id',
  'world_id',
  'chat_id',
  'agent_id',
  'turn_id',
  'iteration',
  'position',
  'message_id',
  'tool_name',
  'arguments',
  'edited',
  'call_hash',
  'status',
  'location',
  'read_only',
  'idempotent',
  'approval_id',
  'started_epoch',
  'result',
  'outcome_unknown',
  'created_at',
  'started_at',
  'settled_at',
] as const satisfies readonly (keyof InvocationsTable)[];

export const messageColumns = [
  'id',
  'world_id',
  'chat_id',
  'seq',
  'role',
  'sender',
  'who',
  'speaker',
  'agent_id',
  'turn_id',
  'iteration',
  'reply_to',
  'content',
  'tool_calls',
  'tool_call_id',
  'addressees',
  'provider_state',
  'client_message_id',
  'secrets',
  'created_at',
] as const satisfies readonly (keyof MessagesTable)[];

export const turnColumns = [
  'id',
  'world_id',
  'chat_id',
  'agent_id',
  'trigger_id',
  'trigger_seq',
  'requester',
  'review',
  'state',
  'outcome',
  'iteration',
  'epoch',
  'owner',
  'interruptions',
  'begun_seq',
  'input_tokens',
  'output_tokens',
  'created_at',
  'ended_at',
] as const satisfies readonly (keyof TurnsTable)[];

export const mcpToolColumns = [
  'world_id',
  'name',
  'server',
  'accepted',
  'accepted_digest',
  'seen',
  'seen_digest',
  'reviewed',
] as const satisfies readonly (keyof McpToolsTable)[];
