import { describe } from 'vitest';
import { describeConcurrency } from './store-contract/concurrency.js';
import { describeFinding } from './store-contract/finding.js';
import { describeLists } from './store-contract/lists.js';
import { describeLog } from './store-contract/log.js';
import { describeMcpServers } from './store-contract/mcp-servers.js';
import { describeRecords } from './store-contract/records.js';
import { describeReopening } from './store-contract/reopening.js';
import { describeTransactions } from './store-contract/transactions.js';
import type { OpenStore } from './store-contract/under-test.js';

/**
 * What every store must do, whatever it is made of. `open` gives a new, empty one each time. `can` says whether what it holds
 * outlives closing it, and whether several can be open on the same data.
 */
export function describeStore(name: string, open: OpenStore, can: { outlive: boolean; share: boolean }): void {
  const parts = [
    { part: 'records', run: () => describeRecords(open) },
    { part: 'where tools come from', run: () => describeMcpServers(open) },
    { part: 'lists', run: () => describeLists(open) },
    { part: 'transactions', run: () => describeTransactions(open) },
    { part: 'many at once', run: () => describeConcurrency(open, can.share) },
    { part: 'finding and counting', run: () => describeFinding(open) },
    { part: 'logs and deletion', run: () => describeLog(open) },
    ...(can.outlive ? [{ part: 'closed and opened again', run: () => describeReopening(open) }] : []),
  ];
  describe.each([name])('%s', () => {
    describe.each(parts)('$part', ({ run }) => {
      run();
    });
  });
}
