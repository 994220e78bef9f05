import type { Migration } from './ddl.js';

/** The schema of the first version. Each index adds about a microsecond to every insert, so its comment says what would be slow without it. */
export const createTables: Migration = ({ integer, ordinal, plain, clustered, searchWords }) => [
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

  `create table chats (
    ordinal ${ordinal},
    id text not null unique,
    world_id text not null,
    title text not null,
    titled ${integer} not null,
    status text not null,
    last_seq ${integer} not null,
    human_seq ${integer} not null,
    created_at ${integer} not null
  ) ${plain}`,
  // Without this index, listing a world's chats reads the chats in all worlds.
  `create index chats_of_world on chats (world_id)`,

  // Not clustered: a message may be as large as a megabyte, and large rows make a clustered tree deep.
  `create table messages (
    id text not null unique,
    world_id text not null,
    chat_id text not null,
    seq ${integer} not null,
    role text not null,
    sender text not null,
    who text,
    speaker text not null,
    agent_id text,
    turn_id text,
    iteration ${integer},
    reply_to text,
    content text not null,
    tool_calls text,
    tool_call_id text,
    addressees text not null,
    provider_state text,
    secrets text,
    client_message_id text,
    created_at ${integer} not null,
    unique (chat_id, seq)
  ) ${plain}`,
  // Without this index, loading a turn's messages scans the whole chat.
  `create index messages_of_turn on messages (turn_id, seq) where turn_id is not null`,
  // Also prevents storing a repeated message twice.
  `create unique index messages_by_client_id on messages (chat_id, client_message_id)
    where client_message_id is not null`,

  `create table turns (
    id text not null primary key,
    world_id text not null,
    chat_id text not null,
    agent_id text not null,
    trigger_id text not null,
    trigger_seq ${integer} not null,
    requester text,
    review text,
    state text not null,
    outcome text,
    iteration ${integer} not null,
    epoch ${integer} not null,
    owner text,
    interruptions ${integer} not null,
    begun_seq ${integer},
    input_tokens ${integer} not null,
    output_tokens ${integer} not null,
    created_at ${integer} not null,
    ended_at ${integer}
  ) ${clustered}`,
  // Ensures that an agent has at most one open turn per chat, even with concurrent processes.
  `create unique index turns_current on turns (chat_id, agent_id) where state in ('open', 'waiting')`,
  // Without this index, an agent's memory and turn limit require a scan of all turns.
  `create index turns_by_trigger on turns (chat_id, agent_id, trigger_seq)`,
  // Each step queries which turns are running, waiting or next; without this index, that scans all ended turns too.
  `create index turns_unfinished on turns (world_id, state, chat_id, agent_id) where state <> 'ended'`,

  `create table invocations (
    id text not null unique,
    world_id text not null,
    chat_id text not null,
    agent_id text not null,
    turn_id text not null,
    iteration ${integer} not null,
    position ${integer} not null,
    message_id text not null,
    tool_name text not null,
    arguments text not null,
    edited ${integer} not null,
    call_hash text,
    status text not null,
    run_by text not null,
    read_only ${integer} not null,
    idempotent ${integer} not null,
    approval_id text,
    started_epoch ${integer},
    result text,
    outcome_unknown ${integer} not null,
    created_at ${integer} not null,
    started_at ${integer},
    settled_at ${integer}
  ) ${plain}`,
  // Each step of a turn loads its calls; without this index, that scans all calls.
  `create index invocations_of_turn on invocations (turn_id, iteration, position)`,
  // Checked before each call; nearly always empty.
  `create index invocations_unknown on invocations (chat_id, tool_name) where outcome_unknown = 1`,

  `create table approvals (
    ordinal ${ordinal},
    id text not null unique,
    world_id text not null,
    chat_id text not null,
    agent_id text not null,
    invocation_id text not null,
    message_id text not null,
    tool_name text not null,
    call_hash text not null,
    message text not null,
    options text not null,
    why text not null,
    rule text,
    proposed_rule text,
    working_directory text not null,
    sandbox text not null,
    preview text,
    preview_truncated ${integer} not null,
    question text,
    signing text,
    rehearsal text,
    session text,
    status text not null,
    decision text,
    scope text,
    reason text,
    decision_digest text,
    decided_by text,
    requested_at ${integer} not null,
    expires_at ${integer},
    decided_at ${integer}
  ) ${plain}`,
  // Without this index, the approval queue scans all past approvals.
  `create index approvals_pending on approvals (world_id, chat_id) where status = 'pending'`,
  // Without this index, finding the first page of the queue, or a position in it, requires a scan of all pending approvals.
  `create index approvals_in_order on approvals (world_id, ordinal) where status = 'pending'`,
  // Without this index, listing or deleting a chat's approvals scans those in all chats.
  `create index approvals_of_chat on approvals (chat_id)`,

  `create table grants (
    ordinal ${ordinal},
    id text not null unique,
    world_id text not null,
    chat_id text not null,
    agent_id text not null,
    tool_name text not null,
    pattern text,
    pattern_key text not null,
    folder text,
    answered_rule text,
    granted_by text not null,
    granted_at ${integer} not null,
    last_used_at ${integer} not null,
    revoked_at ${integer}
  ) ${plain}`,
  // The gate checks grants before each call, with a budget of one millisecond for ten thousand grants (N3).
  `create index grants_for_call on grants (chat_id, agent_id, tool_name, pattern_key)`,

  `create table clients (
    ordinal ${ordinal},
    id text not null unique,
    world_id text not null,
    label text not null,
    secret_hash text not null,
    approvals ${integer} not null,
    tools text not null,
    connected_to text not null default '',
    left_at ${integer},
    created_at ${integer} not null
  ) ${plain}`,
  // Each turn lists a world's tools; without this index, that reads the clients in all worlds.
  `create index clients_of_world on clients (world_id)`,

  `create table events (
    world_id text not null,
    id ${integer} not null,
    chat_id text,
    event text not null,
    message_id text,
    data text,
    at ${integer} not null,
    primary key (world_id, id)
  ) ${clustered}`,
  // Without this index, resuming a chat's stream or deleting the chat reads all of the world's events.
  `create index events_of_chat on events (chat_id, id) where chat_id is not null`,

  `create table audit (
    world_id text not null,
    seq ${integer} not null,
    record text not null,
    previous_hash text not null,
    hash text not null,
    primary key (world_id, seq)
  ) ${clustered}`,

  // Live processes that share a store. Empty if one process owns it.
  `create table processes (id text not null primary key, beat_at ${integer} not null) ${clustered}`,

  // The full-text index of messages, updated on search instead of on write (S2). `upto`: the world's last event whose message is indexed.
  `create table searched (world_id text not null primary key, upto ${integer} not null) ${clustered}`,
  `create table search_documents (
    ordinal ${ordinal},
    message_id text not null,
    chat_id text not null,
    world_id text not null
  ) ${plain}`,
  // Without it, deleting a chat scans all indexed messages.
  `create index search_documents_of_chat on search_documents (chat_id)`,
  ...searchWords,

  `create table mcp_servers (
    ordinal ${ordinal},
    world_id text not null,
    name text not null,
    definition text not null,
    first_listed_at ${integer},
    created_at ${integer} not null,
    unique (world_id, name)
  ) ${plain}`,
  // Keyed by tool name: the gate looks up the tool before each call to an MCP tool. `reviewed`: whether a person accepted it, or it was only in
  // its server's first list.
  `create table mcp_tools (
    world_id text not null,
    name text not null,
    server text not null,
    accepted text,
    accepted_digest text,
    reviewed ${integer} not null default 0,
    seen text,
    seen_digest text,
    primary key (world_id, name)
  ) ${clustered}`,

  // The server's model providers. `api_key` is encrypted with a key that is not in the store.
  `create table providers (
    ordinal ${ordinal},
    id text not null unique,
    kind text not null,
    name text not null,
    name_key text not null unique,
    base_url text,
    api_key text,
    rev ${integer} not null,
    created_at ${integer} not null
  ) ${plain}`,

  // People, their credentials (hashes only) and groups. They belong to the store, not to a world.
  `create table people (
    ordinal ${ordinal},
    id text not null unique,
    name text not null,
    name_key text not null,
    email text,
    email_key text,
    role text,
    world_roles text not null,
    oidc text,
    oidc_key text,
    status text not null,
    rev ${integer} not null,
    created_at ${integer} not null
  ) ${plain}`,
  // A removed person's row is kept for the audit log, but its name and address are free.
  `create unique index people_by_name on people (name_key) where status <> 'removed'`,
  `create unique index people_by_email on people (email_key) where status <> 'removed' and email_key is not null`,
  // Also of removed people: they must not come back as someone new.
  `create unique index people_by_oidc on people (oidc_key) where oidc_key is not null`,
  `create table credentials (
    ordinal ${ordinal},
    id text not null unique,
    person_id text not null,
    kind text not null,
    name text not null,
    hash text not null,
    data text not null,
    parent_id text,
    created_at ${integer} not null,
    used_at ${integer},
    expires_at ${integer},
    ended_at ${integer}
  ) ${plain}`,
  // Disabling a person must not scan the tickets and sessions of everyone.
  `create index credentials_of_person on credentials (person_id)`,
  `create table people_groups (name text not null primary key, people text not null, oidc_group text) ${clustered}`,

  // Files that tools return. Not clustered: `data` may be several megabytes, and large rows make a clustered tree deep.
  `create table attachments (
    chat_id text not null,
    id text not null,
    kind text not null,
    mime_type text not null,
    data text not null,
    primary key (chat_id, id)
  ) ${plain}`,
];
