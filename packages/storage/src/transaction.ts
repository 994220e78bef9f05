import type { StoreTransaction } from '@countersign/core/ports';
import type { Connection } from './connection.js';
import type { Session } from './session.js';
import type { Statements } from './statements.js';
import { approvalVerbs } from './verbs/approvals.js';
import { attachmentVerbs } from './verbs/attachments.js';
import { auditVerbs } from './verbs/audit.js';
import { chatVerbs } from './verbs/chats.js';
import { clientVerbs } from './verbs/clients.js';
import { eventVerbs } from './verbs/events.js';
import { grantVerbs } from './verbs/grants.js';
import { invocationVerbs } from './verbs/invocations.js';
import { mcpServerVerbs } from './verbs/mcp-servers.js';
import { messageVerbs } from './verbs/messages.js';
import { peopleVerbs } from './verbs/people.js';
import { providerVerbs } from './verbs/providers.js';
import { searchVerbs } from './verbs/search.js';
import { statsVerbs } from './verbs/stats.js';
import { turnVerbs } from './verbs/turns.js';
import { worldVerbs } from './verbs/worlds.js';

/** All reads and writes on a connection. Created once per connection, not once per transaction. */
export function transactionOn(on: Connection, statements: Statements, session: Session): StoreTransaction {
  return {
    now: () => session.now,
    ...worldVerbs(on, statements, session),
    ...chatVerbs(on, statements),
    ...messageVerbs(on, statements),
    ...turnVerbs(on, statements),
    ...invocationVerbs(on, statements),
    ...approvalVerbs(on, statements),
    ...attachmentVerbs(on, statements),
    ...grantVerbs(on, statements, session),
    ...clientVerbs(on, statements, session),
    ...mcpServerVerbs(on, statements, session),
    ...peopleVerbs(on, statements, session),
    ...providerVerbs(on, statements),
    ...eventVerbs(on, statements),
    ...auditVerbs(on, statements),
    ...searchVerbs(on, statements),
    ...statsVerbs(on, statements),
    emit(emission) {
      session.emissions.push(emission);
    },
    record(entry) {
      session.records.push(entry);
    },
  };
}
