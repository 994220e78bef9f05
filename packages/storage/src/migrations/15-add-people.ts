import type { Migration } from './ddl.js';

/** People, their credentials (hashes only) and groups. They belong to the store, not to a world. */
export const addPeople: Migration = ({ integer, ordinal, plain, clustered }) => [
  `create table people (
    ordinal ${ordinal},
    id text not null unique,
    name text not null,
    name_key text not null,
    email text,
    email_key text,
    role text,
    world_roles text not null,
    status text not null,
    rev ${integer} not null,
    created_at ${integer} not null
  ) ${plain}`,
  // A removed person's row is kept for the audit log, but its name and address are free.
  `create unique index people_by_name on people (name_key) where status <> 'removed'`,
  `create unique index people_by_email on people (email_key) where status <> 'removed' and email_key is not null`,
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
];
