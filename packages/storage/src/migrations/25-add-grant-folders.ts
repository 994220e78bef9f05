import type { Migration } from './ddl.js';

/** The folder that a grant was given in. Grants from older versions have none, and cover only calls in the world's folder. */
export const addGrantFolders: Migration = () => ['alter table grants add column folder text'];
