import type { Migration } from './ddl.js';

/** People's accounts at an OIDC provider. An older program would keep people signed in who lost their groups there. */
export const addOidc: Migration = () => [
  'alter table people add column oidc text',
  'alter table people add column oidc_key text',
  // Also of removed people: they must not come back as someone new.
  'create unique index people_by_oidc on people (oidc_key) where oidc_key is not null',
];
