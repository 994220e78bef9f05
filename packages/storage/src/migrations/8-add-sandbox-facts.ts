import type { Migration } from './ddl.js';

/**
 * Where a call runs is a JSON object, and whether its preview is whole a column. Earlier rows hold a sentence and don't say: they claim
 * nothing, and their previews count as truncated.
 */
export const addSandboxFacts: Migration = ({ integer, json: { object, array } }) => [
  `alter table approvals add column preview_truncated ${integer} not null default 1`,
  `update approvals set sandbox = cast(${object}('kind', 'unknown', 'network', 'unknown', 'hosts', ${array}(),
    'readable', ${array}(), 'detail', sandbox) as text)`,
];
