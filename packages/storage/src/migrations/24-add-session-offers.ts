import type { Migration } from './ddl.js';

/** What "for this chat" can cover. Approvals from older versions don't say it, so screens no longer offer it for them. */
export const addSessionOffers: Migration = () => ['alter table approvals add column session text'];
