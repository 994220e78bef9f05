import { createFakeClock } from '@countersign/core/testing';
import { type AuditEntry, worldSettingsSchema } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyChain } from './verify-chain.js';

/** Records as the real store links them: a chain made here would only agree with itself. */
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

describe('[A16] the chain, walked by a client', () => {
  it('holds for what the store wrote', async () => {
    expect(await verifyChain(chain)).toEqual({ ok: true, records: 3 });
  });

  it('finds what was edited, removed or reordered', async () => {
    const [a, b, c] = chain;
    if (a === undefined || b === undefined || c === undefined) throw new Error('three records were written');
    expect(await verifyChain([a, { ...b, tool: 'x' }, c])).toMatchObject({ ok: false, at: 2 });
    expect(await verifyChain([a, c])).toMatchObject({ ok: false, at: 2 });
    expect(await verifyChain([a, { ...c, seq: 2 }, { ...b, seq: 3 }])).toMatchObject({ ok: false, at: 2 });
    expect(await verifyChain([b, c])).toMatchObject({ ok: false, at: 1 });
  });
});
