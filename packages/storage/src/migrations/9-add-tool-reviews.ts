import type { Migration } from './ddl.js';

/**
 * Whether a person accepted a tool, or it was only in its server's first list. Existing rows are treated as not reviewed, and tools that their server
 * removed are no longer accepted.
 */
export const addToolReviews: Migration = ({ integer }) => [
  `alter table mcp_tools add column reviewed ${integer} not null default 0`,
  'update mcp_tools set accepted = null, accepted_digest = null where seen is null',
];
