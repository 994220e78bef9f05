import type { Migration } from './ddl.js';

/**
 * Words of messages, to search them by; filled when somebody searches, not when somebody writes (S2). And beside a policy the rules
 * that came with an import and wait for a person.
 */
export const addSearch: Migration = ({ integer, ordinal, plain, clustered, searchWords }) => [
  // Up to which event of a world its messages are in the index.
  `create table searched (world_id text not null primary key, upto ${integer} not null) ${clustered}`,
  `create table search_documents (
    ordinal ${ordinal},
    message_id text not null,
    chat_id text not null,
    world_id text not null
  ) ${plain}`,
  // The deletion of a chat would look for its messages among all that can be found.
  `create index search_documents_of_chat on search_documents (chat_id)`,
  ...searchWords,
  `alter table world_policies add column proposed text not null default '[]'`,
];
