import type { Camel } from './camel.js';

/**
 * A column: its name, its type, and whether a step changes it after the insert. `integer` stands for the database's type. Booleans are 0 or 1,
 * JSON is text, times are milliseconds.
 */
type Column = readonly [name: string, type: string, changes?: 'changes'];

/** A table, identical on SQLite and PostgreSQL. `migrations/` creates it and explains each index. */
export interface Table<C extends readonly Column[] = readonly Column[]> {
  readonly name: string;
  readonly columns: C;
  /** In select order. */
  readonly names: readonly string[];
}

function table<const C extends readonly Column[]>(name: string, columns: C): Table<C> {
  return { name, columns, names: columns.map(([column]) => column) };
}

/** The columns that steps change. */
export function changingIn({ columns }: Table): string[] {
  return columns.flatMap(([name, , changes]) => (changes === undefined ? [] : [name]));
}

type Cell<Type extends string> =
  | (Type extends `integer${string}` ? number : string)
  | (Type extends `${string}not null${string}` ? never : null);
type CellsIn<C extends readonly Column[]> = { [I in keyof C]: Cell<C[I][1]> };

/** A row with all columns of a table, as an array. */
export type Cells<T extends Table> = CellsIn<T['columns']>;

/** A row with these columns of a table. */
export type CellsOf<T extends Table, Names extends readonly string[]> = {
  [I in keyof Names]: Cell<Extract<T['columns'][number], readonly [Names[I], ...unknown[]]>[1]>;
};

/** Parameters of an insert: the columns of a table in camel case. */
export type RowOf<T extends Table> = { [C in T['columns'][number] as Camel<C[0]>]: Cell<C[1]> };

export const chats = table('chats', [
  ['id', 'text not null unique'],
  ['world_id', 'text not null'],
  ['title', 'text not null', 'changes'],
  ['titled', 'integer not null', 'changes'],
  ['status', 'text not null', 'changes'],
  ['last_seq', 'integer not null', 'changes'],
  ['human_seq', 'integer not null', 'changes'],
  ['session', 'text', 'changes'],
  ['root', 'text'],
  ['parts', 'text'],
  ['branches', 'integer not null', 'changes'],
  ['filed', 'text', 'changes'],
  ['created_at', 'integer not null'],
]);

export const messages = table('messages', [
  ['id', 'text not null unique'],
  ['world_id', 'text not null'],
  ['chat_id', 'text not null'],
  ['seq', 'integer not null'],
  ['role', 'text not null'],
  ['sender', 'text not null'],
  ['who', 'text'],
  ['speaker', 'text not null'],
  ['agent_id', 'text'],
  ['turn_id', 'text'],
  ['iteration', 'integer'],
  ['reply_to', 'text'],
  ['content', 'text not null'],
  ['tool_calls', 'text'],
  ['tool_call_id', 'text'],
  ['addressees', 'text not null'],
  ['provider_state', 'text'],
  ['client_message_id', 'text'],
  // JSON.
  ['attachments', 'text'],
  ['secrets', 'text'],
  ['created_at', 'integer not null'],
]);

export const turns = table('turns', [
  ['id', 'text not null primary key'],
  ['world_id', 'text not null'],
  ['chat_id', 'text not null'],
  ['agent_id', 'text not null'],
  ['trigger_id', 'text not null'],
  ['trigger_seq', 'integer not null'],
  ['requester', 'text', 'changes'],
  ['review', 'text'],
  ['state', 'text not null', 'changes'],
  ['outcome', 'text', 'changes'],
  ['iteration', 'integer not null', 'changes'],
  ['epoch', 'integer not null', 'changes'],
  ['owner', 'text', 'changes'],
  ['interruptions', 'integer not null', 'changes'],
  ['begun_seq', 'integer', 'changes'],
  ['input_tokens', 'integer not null', 'changes'],
  ['output_tokens', 'integer not null', 'changes'],
  ['microdollars', 'integer', 'changes'],
  ['created_at', 'integer not null'],
  ['ended_at', 'integer', 'changes'],
]);

export const invocations = table('invocations', [
  ['id', 'text not null unique'],
  ['world_id', 'text not null'],
  ['chat_id', 'text not null'],
  ['agent_id', 'text not null'],
  ['turn_id', 'text not null'],
  ['iteration', 'integer not null'],
  ['position', 'integer not null'],
  ['message_id', 'text not null'],
  ['tool_name', 'text not null'],
  ['arguments', 'text not null', 'changes'],
  ['edited_by', 'text', 'changes'],
  ['call_hash', 'text', 'changes'],
  ['status', 'text not null', 'changes'],
  ['run_by', 'text not null'],
  ['read_only', 'integer not null'],
  ['idempotent', 'integer not null'],
  ['approval_id', 'text', 'changes'],
  ['started_epoch', 'integer', 'changes'],
  ['result', 'text', 'changes'],
  ['outcome_unknown', 'integer not null', 'changes'],
  ['created_at', 'integer not null'],
  ['started_at', 'integer', 'changes'],
  ['settled_at', 'integer', 'changes'],
]);

export const approvals = table('approvals', [
  ['id', 'text not null unique'],
  ['world_id', 'text not null'],
  ['chat_id', 'text not null'],
  ['agent_id', 'text not null'],
  ['invocation_id', 'text not null'],
  ['message_id', 'text not null'],
  ['tool_name', 'text not null'],
  ['call_hash', 'text not null'],
  ['message', 'text not null'],
  ['options', 'text not null'],
  ['why', 'text not null'],
  ['rule', 'text'],
  ['session', 'text'],
  ['proposed_rule', 'text'],
  ['working_directory', 'text not null'],
  ['sandbox', 'text not null'],
  ['preview', 'text'],
  ['preview_truncated', 'integer not null'],
  ['rehearsal', 'text'],
  ['claimed', 'text'],
  ['applies', 'text not null'],
  ['question', 'text'],
  ['signing', 'text', 'changes'],
  ['status', 'text not null', 'changes'],
  ['decision', 'text', 'changes'],
  ['scope', 'text', 'changes'],
  ['reason', 'text', 'changes'],
  ['decision_digest', 'text', 'changes'],
  ['decided_by', 'text', 'changes'],
  ['requested_at', 'integer not null'],
  ['expires_at', 'integer'],
  ['decided_at', 'integer', 'changes'],
]);

export const grants = table('grants', [
  ['id', 'text not null unique'],
  ['world_id', 'text not null'],
  ['chat_id', 'text not null'],
  ['agent_id', 'text not null'],
  ['tool_name', 'text not null'],
  ['folder', 'text'],
  ['pattern', 'text'],
  ['answered_rule', 'text'],
  ['granted_by', 'text not null'],
  ['granted_at', 'integer not null'],
  ['last_used_at', 'integer not null', 'changes'],
  ['revoked_at', 'integer'],
  // Only for lookups.
  ['pattern_key', 'text not null'],
]);

export const clients = table('clients', [
  ['id', 'text not null unique'],
  ['world_id', 'text not null'],
  ['label', 'text not null'],
  ['secret_hash', 'text not null'],
  ['approvals', 'integer not null'],
  ['tools', 'text not null'],
  ['left_at', 'integer'],
  ['connected_to', "text not null default ''"],
  ['created_at', 'integer not null'],
]);

export const events = table('events', [
  ['world_id', 'text not null'],
  ['id', 'integer not null'],
  ['chat_id', 'text'],
  ['event', 'text not null'],
  // A message event stores only the id, so that a large message isn't stored twice.
  ['message_id', 'text'],
  ['data', 'text'],
  ['at', 'integer not null'],
]);

export const audit = table('audit', [
  ['world_id', 'text not null'],
  ['seq', 'integer not null'],
  // The record as canonical JSON: exactly the text that was hashed.
  ['record', 'text not null'],
  ['previous_hash', 'text not null'],
  ['hash', 'text not null'],
]);

export const mcpServers = table('mcp_servers', [
  ['world_id', 'text not null'],
  ['name', 'text not null'],
  // Includes the secret values of variables and headers.
  ['definition', 'text not null'],
  ['first_listed_at', 'integer'],
  ['created_at', 'integer not null'],
]);

export const mcpTools = table('mcp_tools', [
  ['world_id', 'text not null'],
  ['name', 'text not null'],
  ['server', 'text not null'],
  ['accepted', 'text'],
  ['accepted_digest', 'text'],
  ['seen', 'text'],
  ['seen_digest', 'text'],
  ['reviewed', 'integer not null default 0'],
]);

export const providers = table('providers', [
  ['id', 'text not null unique'],
  ['kind', 'text not null'],
  ['name', 'text not null'],
  // The name in lowercase: names that differ only in case are equal.
  ['name_key', 'text not null unique'],
  ['base_url', 'text'],
  // Encrypted.
  ['api_key', 'text'],
  ['rev', 'integer not null'],
  ['created_at', 'integer not null'],
]);

export const people = table('people', [
  ['id', 'text not null unique'],
  ['name', 'text not null'],
  // The name in lowercase, like `email_key`.
  ['name_key', 'text not null'],
  ['email', 'text'],
  ['email_key', 'text'],
  ['role', 'text'],
  ['world_roles', 'text not null'],
  ['status', 'text not null'],
  ['rev', 'integer not null'],
  ['created_at', 'integer not null'],
  // JSON.
  ['oidc', 'text'],
  // The issuer and subject, also as JSON.
  ['oidc_key', 'text'],
]);

export const credentials = table('credentials', [
  ['id', 'text not null unique'],
  ['person_id', 'text not null'],
  ['kind', 'text not null'],
  ['name', 'text not null'],
  ['hash', 'text not null'],
  ['data', 'text not null'],
  ['parent_id', 'text'],
  ['created_at', 'integer not null'],
  ['used_at', 'integer'],
  ['expires_at', 'integer'],
  ['ended_at', 'integer'],
]);

export const peopleGroups = table('people_groups', [
  ['name', 'text not null primary key'],
  ['people', 'text not null'],
  ['oidc_group', 'text'],
]);

export const webhooks = table('webhooks', [
  ['id', 'text not null unique'],
  ['person_id', 'text'],
  ['definition', 'text not null'],
  // Encrypted: the URL and the secrets.
  ['sealed', 'text not null'],
  ['rev', 'integer not null'],
  ['created_at', 'integer not null'],
]);

export const webhookDeliveries = table('webhook_deliveries', [
  ['id', 'text not null unique'],
  ['webhook_id', 'text not null'],
  ['world_id', 'text not null'],
  ['event_id', 'integer not null'],
  ['type', 'text not null'],
  ['subject', 'text not null'],
  ['state', 'text not null'],
  ['attempts', 'integer not null'],
  ['next_at', 'integer not null'],
  ['problem', 'text'],
  ['created_at', 'integer not null'],
  ['ended_at', 'integer'],
]);

export const attachments = table('attachments', [
  ['chat_id', 'text not null'],
  ['id', 'text not null'],
  ['kind', 'text not null'],
  ['mime_type', 'text not null'],
  // In base64.
  ['data', 'text not null'],
]);

export const schedules = table('schedules', [
  ['id', 'text not null unique'],
  ['world_id', 'text not null'],
  ['chat_id', 'text not null'],
  ['rev', 'integer not null'],
  // Null if nothing is due.
  ['look_at', 'integer'],
  // JSON.
  ['data', 'text not null'],
]);

/** A searchable message. Its words are in `search_words`, which differs by database. */
export const searchDocuments = table('search_documents', [
  ['message_id', 'text not null'],
  ['chat_id', 'text not null'],
  ['world_id', 'text not null'],
]);
