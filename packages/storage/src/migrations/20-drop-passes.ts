import type { Migration } from './ddl.js';

/** Sessions and tickets are credentials now. Browsers that shared a PostgreSQL database have to sign in again. */
export const dropPasses: Migration = () => ['drop table passes'];
