import type { Migration } from './ddl.js';

/** A lookup key for grants, derived from their pattern. Existing grants have an empty key, which any call may match. */
export const addGrantKeys: Migration = () => [
  `alter table grants add column pattern_key text not null default ''`,
  'drop index grants_for_call',
  'create index grants_for_call on grants (chat_id, agent_id, tool_name, pattern_key)',
];
