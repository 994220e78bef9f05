import { createFakeClock } from '@countersign/core/testing';
import { type AuditEntry, worldSettingsSchema } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyChain } from './verify-chain.js';

/** Uses records from the real store: a chain built by this test would prove nothing. */
let chain: AuditEntry[] = [];
beforeAll(async () => {
  const store = await openSqlite(':memory:', { clock: createFakeClock() });
  try {
    await store.transact('w', async (tx) => {
      await tx.insertWorld({ id: 'w', name: 'W', settings: worldSettingsSchema.parse({}), policy: [] });
      for (const tool of ['a', 'b', 'c']) tx.record({ kind: 'run', tool, arguments: { z: 1, a: { y: 2, b: [3] } } });
    });
    chain = await store.read((reader) => reader.audit('w', { after: 0, limit: 10 }));
  } finally {
    await store.close();
  }
});

describe('[LOG1.2] chain verification in the client', () => {
  it('accepts the store’s records', async () => {
    expect(await verifyChain(chain)).toEqual({ ok: true, records: 3 });
  });

  it('detects edited, removed or reordered records', async () => {
    const [a, b, c] = chain;
    if (a === undefined || b === undefined || c === undefined) throw new Error('three records were written');
    expect(await verifyChain([a, { ...b, tool: 'x' }, c])).toMatchObject({ ok: false, at: 2 });
    expect(await verifyChain([a, c])).toMatchObject({ ok: false, at: 2 });
    expect(await verifyChain([a, { ...c, seq: 2 }, { ...b, seq: 3 }])).toMatchObject({ ok: false, at: 2 });
    expect(await verifyChain([b, c])).toMatchObject({ ok: false, at: 1 });
  });
});
