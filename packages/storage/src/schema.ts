import type { Generated as Defaulted, GeneratedAlways } from 'kysely';

/**
 * The tables as typed queries see them, the same on SQLite and PostgreSQL. Booleans are 0 or 1, JSON is text, times are milliseconds.
 * `migrations/` creates them and says what each index is for.
 */

interface MetaTable {
  key: string;
  value: string;
}

interface WorldsTable {
  id: string;
  name: string;
  settings: string;
  rev: number;
  /** The number of the world's last event. */
  event_seq: number;
  /** Where the world's audit chain ends. */
  audit_seq: number;
  audit_hash: string;
  created_at: number;
  /** The row stays when the world goes: its id is never given again, and its audit log and last events go on from it. */
  deleted_at: number | null;
}

/** Apart from `worlds`, which every step updates: fifty kilobytes of rules would be written again with each event. */
interface WorldPoliciesTable {
  world_id: string;
  policy: string;
  /** Allow rules of an import, which count only once a person has put them into the policy. */
  proposed: Defaulted<string>;
}

interface AgentsTable {
  world_id: string;
  id: string;
  definition: string;
  created_at: number;
  deleted_at: number | null;
}

export interface ChatsTable {
  id: string;
  world_id: string;
  title: string;
  titled: number;
  status: string;
  last_seq: number;
  human_seq: number;
  created_at: number;
}

export interface MessagesTable {
  id: string;
  world_id: string;
  chat_id: string;
  seq: number;
  role: string;
  sender: string;
  speaker: string;
  agent_id: string | null;
  turn_id: string | null;
  iteration: number | null;
  reply_to: string | null;
  content: string;
  tool_calls: string | null;
  tool_call_id: string | null;
  addressees: string;
  provider_state: string | null;
  secrets: string | null;
  client_message_id: string | null;
  created_at: number;
}

export interface TurnsTable {
  id: string;
  world_id: string;
  chat_id: string;
  agent_id: string;
  trigger_id: string;
  trigger_seq: number;
  state: string;
  outcome: string | null;
  iteration: number;
  epoch: number;
  rev: number;
  owner: string | null;
  interruptions: number;
  begun_seq: number | null;
  input_tokens: number;
  output_tokens: number;
  created_at: number;
  ended_at: number | null;
}

export interface InvocationsTable {
  id: string;
  world_id: string;
  chat_id: string;
  agent_id: string;
  turn_id: string;
  iteration: number;
  position: number;
  message_id: string;
  tool_name: string;
  arguments: string;
  edited: number;
  call_hash: string | null;
  status: string;
  location: string;
  read_only: number;
  idempotent: number;
  approval_id: string | null;
  started_epoch: number | null;
  result: string | null;
  outcome_unknown: number;
  created_at: number;
  started_at: number | null;
  settled_at: number | null;
}

export interface ApprovalsTable {
  id: string;
  world_id: string;
  chat_id: string;
  agent_id: string;
  invocation_id: string;
  message_id: string;
  tool_name: string;
  call_hash: string;
  message: string;
  options: string;
  why: string;
  rule: string | null;
  proposed_rule: string | null;
  working_directory: string;
  sandbox: string;
  preview: string | null;
  preview_truncated: number;
  question: string | null;
  status: string;
  decision: string | null;
  scope: string | null;
  reason: string | null;
  decision_digest: string | null;
  decided_by: string | null;
  requested_at: number;
  expires_at: number | null;
  decided_at: number | null;
}

export interface GrantsTable {
  id: string;
  world_id: string;
  chat_id: string;
  agent_id: string;
  tool_name: string;
  pattern: string | null;
  answered_rule: string | null;
  granted_by: string;
  granted_at: number;
  last_used_at: number;
  revoked_at: number | null;
  pattern_key: string;
}

export interface ClientsTable {
  id: string;
  world_id: string;
  label: string;
  secret_hash: string;
  approvals: number;
  tools: string;
  left_at: number | null;
  connected_to: string;
  created_at: number;
}

export interface McpServersTable {
  world_id: string;
  name: string;
  /** With the values of its variables and headers, which are secret. */
  definition: string;
  first_listed_at: number | null;
  created_at: number;
}

export interface McpToolsTable {
  world_id: string;
  name: string;
  server: string;
  accepted: string | null;
  accepted_digest: string | null;
  seen: string | null;
  seen_digest: string | null;
  reviewed: number;
}

export interface EventsTable {
  world_id: string;
  id: number;
  chat_id: string | null;
  event: string;
  /** A message event holds only this: a large message must not be written twice. */
  message_id: string | null;
  data: string | null;
  at: number;
}

export interface AuditTable {
  world_id: string;
  seq: number;
  /** The record as canonical JSON: the very text that was hashed. */
  record: string;
  previous_hash: string;
  hash: string;
}

/** A message that can be found. Its words are in `search_words`, which each database makes in its own way. */
export interface SearchDocumentsTable {
  message_id: string;
  chat_id: string;
  world_id: string;
}

interface SearchedTable {
  world_id: string;
  /** The number of the last event whose message was looked at. */
  upto: number;
}

/** Order of creation, given by the database: two rows of one millisecond keep their order. Never written by us. */
interface Ordinal {
  ordinal: GeneratedAlways<number>;
}

export interface Tables {
  meta: MetaTable;
  worlds: WorldsTable & Ordinal;
  world_policies: WorldPoliciesTable;
  agents: AgentsTable & Ordinal;
  chats: ChatsTable & Ordinal;
  messages: MessagesTable;
  turns: TurnsTable;
  invocations: InvocationsTable;
  approvals: ApprovalsTable & Ordinal;
  grants: GrantsTable & Ordinal;
  clients: ClientsTable & Ordinal;
  mcp_servers: McpServersTable & Ordinal;
  mcp_tools: McpToolsTable;
  events: EventsTable;
  audit: AuditTable;
  search_documents: SearchDocumentsTable & Ordinal;
  searched: SearchedTable;
}
