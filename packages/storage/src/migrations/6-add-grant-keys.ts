import type { Migration } from './ddl.js';

/** Grants are looked up by what a call must have for their pattern to cover it. Those from before have no key: any call may. */
export const addGrantKeys: Migration = () => [
  `alter table grants add column pattern_key text not null default ''`,
  'drop index grants_for_call',
  'create index grants_for_call on grants (chat_id, agent_id, tool_name, pattern_key)',
];
