import type { Migration } from './ddl.js';

/** Each index adds about a microsecond to every insert, so its comment says what would be slow without it. */
export const createTables: Migration = ({ integer, ordinal, plain, clustered }) => [
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
  // Separate from `worlds`, which every step updates: otherwise, each event would rewrite up to 50 KB of rules.
  `create table world_policies (world_id text not null primary key, policy text not null) ${clustered}`,

  `create table agents (
    ordinal ${ordinal},
    world_id text not null,
    id text not null,
    definition text not null,
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
    state text not null,
    outcome text,
    iteration ${integer} not null,
    epoch ${integer} not null,
    rev ${integer} not null,
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
    location text not null,
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
  // Each step queries which calls are open; without this index, that scans all calls in the turn.
  `create index invocations_open on invocations (turn_id, iteration, status, position) where settled_at is null`,
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
    answered_rule text,
    granted_by text not null,
    granted_at ${integer} not null,
    last_used_at ${integer} not null,
    revoked_at ${integer}
  ) ${plain}`,
  // The gate checks grants before each call, with a budget of one millisecond for ten thousand grants (N3).
  `create index grants_for_call on grants (chat_id, agent_id, tool_name)`,

  `create table clients (
    ordinal ${ordinal},
    id text not null unique,
    world_id text not null,
    label text not null,
    secret_hash text not null,
    approvals ${integer} not null,
    tools text not null,
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
];
