/**
 * Table rows, identical on SQLite and PostgreSQL. Booleans are 0 or 1, JSON is text, times are milliseconds. `migrations/` creates the tables
 * and explains each index.
 */

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
  who: string | null;
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
  requester: string | null;
  review: string | null;
  state: string;
  outcome: string | null;
  iteration: number;
  epoch: number;
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
  run_by: string;
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
  session: string | null;
  proposed_rule: string | null;
  working_directory: string;
  sandbox: string;
  preview: string | null;
  preview_truncated: number;
  rehearsal: string | null;
  question: string | null;
  signing: string | null;
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
  folder: string | null;
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
  /** Includes the secret values of variables and headers. */
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

export interface ProvidersTable {
  id: string;
  kind: string;
  name: string;
  /** The name in lowercase: names that differ only in case are equal. */
  name_key: string;
  base_url: string | null;
  /** Encrypted. */
  api_key: string | null;
  rev: number;
  created_at: number;
}

export interface PeopleTable {
  id: string;
  name: string;
  /** The name in lowercase, like `email_key`. */
  name_key: string;
  email: string | null;
  email_key: string | null;
  role: string | null;
  world_roles: string;
  status: string;
  rev: number;
  created_at: number;
  /** JSON. */
  oidc: string | null;
  /** The issuer and subject, also as JSON. */
  oidc_key: string | null;
}

export interface CredentialsTable {
  id: string;
  person_id: string;
  kind: string;
  name: string;
  hash: string;
  data: string;
  parent_id: string | null;
  created_at: number;
  used_at: number | null;
  expires_at: number | null;
  ended_at: number | null;
}

export interface GroupsTable {
  name: string;
  people: string;
  oidc_group: string | null;
}

export interface AttachmentsTable {
  chat_id: string;
  id: string;
  kind: string;
  mime_type: string;
  /** In base64. */
  data: string;
}

export interface EventsTable {
  world_id: string;
  id: number;
  chat_id: string | null;
  event: string;
  /** A message event stores only the id, so that a large message isn't stored twice. */
  message_id: string | null;
  data: string | null;
  at: number;
}

export interface AuditTable {
  world_id: string;
  seq: number;
  /** The record as canonical JSON: exactly the text that was hashed. */
  record: string;
  previous_hash: string;
  hash: string;
}

/** A searchable message. Its words are in `search_words`, which differs by database. */
export interface SearchDocumentsTable {
  message_id: string;
  chat_id: string;
  world_id: string;
}
