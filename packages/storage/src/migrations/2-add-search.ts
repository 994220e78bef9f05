import type { Migration } from './ddl.js';

/** The full-text index of messages, updated on search instead of on write (S2), and the rules that an import proposes. */
export const addSearch: Migration = ({ integer, ordinal, plain, clustered, searchWords }) => [
  // The last event in a world whose message is indexed.
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
  `alter table world_policies add column proposed text not null default '[]'`,
];
