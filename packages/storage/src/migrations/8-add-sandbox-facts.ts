import type { Migration } from './ddl.js';

/**
 * The sandbox becomes a JSON object, and a column says whether the preview is complete. Existing rows have an unknown sandbox, and their
 * previews are treated as truncated.
 */
export const addSandboxFacts: Migration = ({ integer, json: { object, array } }) => [
  `alter table approvals add column preview_truncated ${integer} not null default 1`,
  `update approvals set sandbox = cast(${object}('kind', 'unknown', 'network', 'unknown', 'hosts', ${array}(),
    'readable', ${array}(), 'detail', sandbox) as text)`,
];
