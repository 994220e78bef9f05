import type { Migration } from './ddl.js';

/**
 * Which approval a turn reviews, and which agents created an agent, directly or through others. Before, only the audit log said that an agent
 * had created another one; such agents get an unknown maker, so that no agent reviews their calls. Searched once, because the log is long.
 */
export const addReviews: Migration = () => [
  'alter table turns add column review text',
  'alter table agents add column makers text',
  `with made as materialized (
    select world_id, record from audit
    where record like '%"decision":"agent added"%' and (record like '%"who":"agent %' or record like '%"kind":"agent"%')
  )
  update agents set makers = '["?"]' where exists (
    select 1 from made where made.world_id = agents.world_id and made.record like '%"agentId":"' || agents.id || '"%'
  )`,
];
