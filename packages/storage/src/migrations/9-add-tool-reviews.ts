import type { Migration } from './ddl.js';

/** Whether a person accepted a tool, or it was only in its server's first list. Of earlier rows nobody knows: they count as a person's. */
export const addToolReviews: Migration = ({ integer }) => [
  `alter table mcp_tools add column reviewed ${integer} not null default 1`,
];
