import type { StoreTransaction } from '@countersign/core/ports';
import type { Connection } from './connection.js';
import type { TransactionState } from './transaction-state.js';
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
import { scheduleVerbs } from './verbs/schedules.js';
import { searchVerbs } from './verbs/search.js';
import { statsVerbs } from './verbs/stats.js';
import { turnVerbs } from './verbs/turns.js';
import { webhookVerbs } from './verbs/webhooks.js';
import { worldVerbs } from './verbs/worlds.js';

/** All reads and writes on a connection. Created once per connection, not once per transaction. */
export function transactionOn(on: Connection, statements: Statements, state: TransactionState): StoreTransaction {
  return {
    now: () => state.now,
    ...worldVerbs(on, statements, state),
    ...chatVerbs(on, statements),
    ...messageVerbs(on, statements),
    ...turnVerbs(on, statements),
    ...invocationVerbs(on, statements),
    ...approvalVerbs(on, statements),
    ...attachmentVerbs(on, statements),
    ...grantVerbs(on, statements, state),
    ...clientVerbs(on, statements, state),
    ...mcpServerVerbs(on, statements, state),
    ...peopleVerbs(on, statements, state),
    ...providerVerbs(on, statements),
    ...scheduleVerbs(on, statements),
    ...eventVerbs(on, statements),
    ...auditVerbs(on, statements),
    ...searchVerbs(on, statements),
    ...statsVerbs(on, statements),
    ...webhookVerbs(on, statements, state),
    emit(emission) {
      state.emissions.push(emission);
    },
    record(entry) {
      state.records.push(entry);
    },
  };
}
