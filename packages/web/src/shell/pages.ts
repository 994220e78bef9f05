// The pages that are not shown first, in one file: thirty small ones cost the browser and the server more than some unused code.
export { default as AccountPage } from '../account/account-page.js';
export { default as InboxPage } from '../approvals/inbox/inbox-page.js';
export { default as AuditPage } from '../audit/audit-page.js';
export { default as ServerAuditPage } from '../audit/server-audit-page.js';
export { default as ComputerPage } from '../computer/computer-page.js';
export { default as SearchPage } from '../chat/search-page.js';
export { default as PeoplePage } from '../people/people-page.js';
export { default as ProvidersPage } from '../providers/providers-page.js';
export { default as ChangesPage } from '../review/changes-page.js';
export { default as ReviewPage } from '../review/review-page.js';
export { default as SchedulesPage } from '../schedules/schedules-page.js';
export { default as ServersPage } from '../servers/servers-page.js';
export { default as AgentsPage } from '../settings/agents-page.js';
export { default as GrantsPage } from '../settings/grants-page.js';
export { default as PolicyPage } from '../policy/policy-page.js';
export { default as WorldPage } from '../settings/world-page.js';
export { default as StartPage } from '../start/start-page.js';
