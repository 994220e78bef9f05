import {
  approvals,
  attachments,
  audit,
  chats,
  clients,
  credentials,
  events,
  grants,
  invocations,
  mcpServers,
  mcpTools,
  messages,
  people,
  peopleGroups,
  providers,
  schedules,
  searchDocuments,
  turns,
  webhookDeliveries,
  webhooks,
  type Table,
} from '../schema.js';
import type { Migration } from './ddl.js';

/** The schema of the first version. Each index adds about a microsecond to every insert, so its comment says what would be slow without it. */
export const createTables: Migration = ({ integer, ordinal, plain, clustered, searchWords }) => {
  const columnsOf = ({ columns }: Table): string =>
    columns.map(([name, type]) => `${name} ${type.replace(/^integer/, integer)}`).join(', ');
  return [
    `create table meta (key text not null primary key, value text not null) ${clustered}`,

    // A deleted world's row is kept: its id is never reused, and its audit log and last events refer to it.
    `create table worlds (
    ordinal ${ordinal},
    id text not null unique,
    name text not null,
    settings text not null,
    rev ${integer} not null,
    event_seq ${integer} not null,
    audit_seq ${integer} not null,
    audit_hash text not null,
    created_at ${integer} not null,
    deleted_at ${integer}
  ) ${plain}`,
    // Separate from `worlds`, which every step updates: otherwise, each event would rewrite up to 50 KB of rules. `proposed`: by an import.
    `create table world_policies (
    world_id text not null primary key,
    policy text not null,
    proposed text not null default '[]'
  ) ${clustered}`,

    `create table agents (
    ordinal ${ordinal},
    world_id text not null,
    id text not null,
    definition text not null,
    makers text,
    created_at ${integer} not null,
    deleted_at ${integer},
    unique (world_id, id)
  ) ${plain}`,

    `create table chats (ordinal ${ordinal}, ${columnsOf(chats)}) ${plain}`,
    // Without this index, listing a world's chats reads the chats in all worlds.
    `create index chats_of_world on chats (world_id)`,
    // Without this index, listing the branches of a chat reads all chats.
    `create index branches_of_chat on chats (root) where root is not null`,

    // Not clustered: a message may be as large as a megabyte, and large rows make a clustered tree deep.
    `create table messages (${columnsOf(messages)}, unique (chat_id, seq)) ${plain}`,
    // Without this index, loading a turn's messages scans the whole chat.
    `create index messages_of_turn on messages (turn_id, seq) where turn_id is not null`,
    // Also prevents storing a repeated message twice.
    `create unique index messages_by_client_id on messages (chat_id, client_message_id)
    where client_message_id is not null`,

    `create table turns (${columnsOf(turns)}) ${clustered}`,
    // Ensures that an agent has at most one open turn per chat, even with concurrent processes.
    `create unique index turns_current on turns (chat_id, agent_id) where state in ('open', 'waiting')`,
    // Without this index, an agent's memory and turn limit require a scan of all turns.
    `create index turns_by_trigger on turns (chat_id, agent_id, trigger_seq)`,
    // Each step queries which turns are running, waiting or next; without this index, that scans all ended turns too.
    `create index turns_unfinished on turns (world_id, state, chat_id, agent_id) where state <> 'ended'`,

    `create table invocations (${columnsOf(invocations)}) ${plain}`,
    // Each step of a turn loads its calls; without this index, that scans all calls.
    `create index invocations_of_turn on invocations (turn_id, iteration, position)`,
    // Checked before each call; nearly always empty.
    `create index invocations_unknown on invocations (chat_id, tool_name) where outcome_unknown = 1`,

    `create table approvals (ordinal ${ordinal}, ${columnsOf(approvals)}) ${plain}`,
    // Without this index, the approval queue scans all past approvals.
    `create index approvals_pending on approvals (world_id, chat_id) where status = 'pending'`,
    // Without this index, finding the first page of the queue, or a position in it, requires a scan of all pending approvals.
    `create index approvals_in_order on approvals (world_id, ordinal) where status = 'pending'`,
    // Without this index, listing or deleting a chat's approvals scans those in all chats.
    `create index approvals_of_chat on approvals (chat_id)`,

    `create table grants (ordinal ${ordinal}, ${columnsOf(grants)}) ${plain}`,
    // The gate checks grants before each call, with a budget of one millisecond for ten thousand grants (LIMIT3).
    `create index grants_for_call on grants (chat_id, agent_id, tool_name, pattern_key)`,

    `create table clients (ordinal ${ordinal}, ${columnsOf(clients)}) ${plain}`,
    // Each turn lists a world's tools; without this index, that reads the clients in all worlds.
    `create index clients_of_world on clients (world_id)`,

    `create table events (${columnsOf(events)}, primary key (world_id, id)) ${clustered}`,
    // Without this index, resuming a chat's stream or deleting the chat reads all of the world's events.
    `create index events_of_chat on events (chat_id, id) where chat_id is not null`,

    `create table audit (${columnsOf(audit)}, primary key (world_id, seq)) ${clustered}`,

    // Live processes that share a store. Empty if one process owns it.
    `create table processes (id text not null primary key, beat_at ${integer} not null) ${clustered}`,

    // The full-text index of messages, updated on search instead of on write (STORE2). `upto`: the world's last event whose message is indexed.
    `create table searched (world_id text not null primary key, upto ${integer} not null) ${clustered}`,
    `create table search_documents (ordinal ${ordinal}, ${columnsOf(searchDocuments)}) ${plain}`,
    // Without it, deleting a chat scans all indexed messages.
    `create index search_documents_of_chat on search_documents (chat_id)`,
    ...searchWords,

    `create table mcp_servers (ordinal ${ordinal}, ${columnsOf(mcpServers)}, unique (world_id, name)) ${plain}`,
    // Keyed by tool name: the gate looks up the tool before each call to an MCP tool. `reviewed`: whether a person accepted it, or it was only in
    // its server's first list.
    `create table mcp_tools (${columnsOf(mcpTools)}, primary key (world_id, name)) ${clustered}`,

    // The server's model providers. `api_key` is encrypted with a key that is not in the store.
    `create table providers (ordinal ${ordinal}, ${columnsOf(providers)}) ${plain}`,

    // People, their credentials (hashes only) and groups. They belong to the store, not to a world.
    `create table people (ordinal ${ordinal}, ${columnsOf(people)}) ${plain}`,
    // A removed person's row is kept for the audit log, but its name and address are free.
    `create unique index people_by_name on people (name_key) where status <> 'removed'`,
    `create unique index people_by_email on people (email_key) where status <> 'removed' and email_key is not null`,
    // Also of removed people: they must not come back as someone new.
    `create unique index people_by_oidc on people (oidc_key) where oidc_key is not null`,
    `create table credentials (ordinal ${ordinal}, ${columnsOf(credentials)}) ${plain}`,
    // Disabling a person must not scan the tickets and sessions of everyone.
    `create index credentials_of_person on credentials (person_id)`,
    `create table people_groups (${columnsOf(peopleGroups)}) ${clustered}`,

    `create table webhooks (ordinal ${ordinal}, ${columnsOf(webhooks)}) ${plain}`,
    // `upto`: the world's last event whose deliveries were inserted. Separate from `worlds`, which every step updates.
    `create table webhook_cursors (world_id text not null primary key, upto ${integer} not null) ${clustered}`,
    `create table webhook_deliveries (ordinal ${ordinal}, ${columnsOf(webhookDeliveries)}) ${plain}`,
    // Without this index, looking for what is due reads all deliveries of a week.
    `create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where state = 'pending'`,
    // Listing or removing those of one webhook must not read those of all.
    `create index webhook_deliveries_of on webhook_deliveries (webhook_id, ordinal)`,
    // Each new delivery removes old ones.
    `create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null`,

    // Files that tools return. Not clustered: `data` may be several megabytes, and large rows make a clustered tree deep.
    `create table attachments (${columnsOf(attachments)}, primary key (chat_id, id)) ${plain}`,

    `create table schedules (ordinal ${ordinal}, ${columnsOf(schedules)}) ${plain}`,
    // Each process looks for due schedules; without this index, that reads the messages of all of them.
    `create index schedules_due on schedules (look_at) where look_at is not null`,
    // Without it, deleting a chat scans all schedules.
    `create index schedules_of_chat on schedules (chat_id)`,
  ];
};
