import { approvalStatements } from './queries/approvals.js';
import { attachmentStatements } from './queries/attachments.js';
import { auditStatements } from './queries/audit.js';
import { chatStatements } from './queries/chats.js';
import { clientStatements } from './queries/clients.js';
import { eventStatements } from './queries/events.js';
import { grantStatements } from './queries/grants.js';
import { invocationStatements } from './queries/invocations.js';
import { mcpServerStatements } from './queries/mcp-servers.js';
import { messageStatements } from './queries/messages.js';
import { credentialStatements, peopleStatements } from './queries/people.js';
import { providerStatements } from './queries/providers.js';
import { purgeStatements } from './queries/purge.js';
import { scheduleStatements } from './queries/schedules.js';
import { searchStatements, type SearchDialect } from './queries/search.js';
import { statsStatements } from './queries/stats.js';
import { turnStatements } from './queries/turns.js';
import { upkeepStatements } from './queries/upkeep.js';
import { webhookStatements } from './queries/webhooks.js';
import { worldStatements } from './queries/worlds.js';

export type Statements = ReturnType<typeof statementsIn>;

/** All statements. Only those that search or take a list differ between the databases. */
export function statementsIn(search: SearchDialect) {
  return {
    ...approvalStatements,
    ...attachmentStatements,
    ...auditStatements,
    ...chatStatements,
    ...clientStatements,
    ...eventStatements,
    ...grantStatements,
    ...invocationStatements,
    ...mcpServerStatements,
    ...messageStatements,
    ...peopleStatements,
    ...credentialStatements(search.elementsOf),
    ...providerStatements,
    ...scheduleStatements,
    ...searchStatements(search),
    ...statsStatements,
    ...turnStatements,
    ...upkeepStatements,
    ...webhookStatements,
    ...worldStatements,
    purge: purgeStatements(search),
  };
}
