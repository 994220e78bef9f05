import { createFakeClock } from '@countersign/core/testing';
import { worldSettingsSchema, type StoredReceipt } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { expect, it } from 'vitest';
import { receiptsOf } from './write-receipts.js';

it('[RUN28] finds what passkeys signed about a call, without reading what was logged before its request', async () => {
  const store = await openSqlite(':memory:', { clock: createFakeClock() });
  const receiptOf = (credentialId: string): StoredReceipt => ({ credentialId }) as StoredReceipt;
  await store.transact('w', async (tx) => {
    await tx.insertWorld({ id: 'w', name: 'W', settings: worldSettingsSchema.parse({}), policy: [] });
    for (let at = 0; at < 2_000; at += 1) tx.record({ kind: 'run', invocationId: 'other' });
    tx.record({ kind: 'request', invocationId: 'call' });
    tx.record({ kind: 'sign', invocationId: 'call', receipt: receiptOf('first') });
    tx.record({ kind: 'sign', invocationId: 'other', receipt: receiptOf('other') });
    for (let at = 0; at < 300; at += 1) tx.record({ kind: 'run', invocationId: 'other' });
    tx.record({ kind: 'decision', invocationId: 'call', receipt: receiptOf('second') });
  });
  let read = 0;
  const found = await store.read(
    async (reader) =>
      await receiptsOf(
        {
          async lastAudit(...about) {
            const page = await reader.lastAudit(...about);
            read += page.length;
            return page;
          },
        },
        'w',
        'call',
      ),
  );
  expect(found).toEqual([{ credentialId: 'first' }, { credentialId: 'second' }]);
  expect(read).toBeLessThan(500);
  await store.close();
});
