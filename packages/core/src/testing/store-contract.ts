import { describe } from 'vitest';
import { describeAttachments } from './store-contract/attachments.js';
import { describeConcurrency } from './store-contract/concurrency.js';
import { describeFinding } from './store-contract/finding.js';
import { describeLists } from './store-contract/lists.js';
import { describeLog } from './store-contract/log.js';
import { describeMcpServers } from './store-contract/mcp-servers.js';
import { describePeople } from './store-contract/people.js';
import { describeProviders } from './store-contract/providers.js';
import { describeWebhooks } from './store-contract/webhooks.js';
import { describeRecords } from './store-contract/records.js';
import { describeReopening } from './store-contract/reopening.js';
import { describeSchedules } from './store-contract/schedules.js';
import { describeTransactions } from './store-contract/transactions.js';
import type { OpenStore } from './store-contract/under-test.js';

/** Parts whose queries are the same text in every database. */
const PLAIN_PARTS = ['MCP servers', 'providers', 'attachments', 'lists'];

/**
 * The contract that every store must meet. `open` returns a new, empty store. `can` says whether its data survives closing, and whether several
 * stores can be open on the same data. `isShort` leaves out what another store has shown with the same queries.
 */
export function describeStore(
  name: string,
  open: OpenStore,
  can: { outlive: boolean; share: boolean; isShort?: boolean },
): void {
  const parts = [
    { part: 'records', run: () => describeRecords(open) },
    { part: 'MCP servers', run: () => describeMcpServers(open) },
    { part: 'providers', run: () => describeProviders(open) },
    { part: 'webhooks', run: () => describeWebhooks(open) },
    { part: 'people', run: () => describePeople(open, can.share) },
    { part: 'attachments', run: () => describeAttachments(open) },
    { part: 'schedules', run: () => describeSchedules(open) },
    { part: 'lists', run: () => describeLists(open) },
    { part: 'transactions', run: () => describeTransactions(open) },
    { part: 'concurrency', run: () => describeConcurrency(open, can.share) },
    { part: 'search and counts', run: () => describeFinding(open) },
    { part: 'logs and deletion', run: () => describeLog(open) },
    ...(can.outlive ? [{ part: 'reopening', run: () => describeReopening(open, can.isShort === true) }] : []),
  ];
  const chosen = parts.filter(({ part }) => can.isShort !== true || !PLAIN_PARTS.includes(part));
  describe.each([name])('%s', () => {
    describe.each(chosen)('$part', ({ run }) => {
      run();
    });
  });
}
