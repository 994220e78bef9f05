import { SERVER_LOG, type Store } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { expect, it, onTestFinished } from 'vitest';
import { ensureOwner } from './ensure-owner.js';

it('[WHO4] the first start makes the user the owner, once, and records it', async () => {
  const clock = createFakeClock();
  const store = await openSqlite(':memory:', { clock });
  onTestFinished(() => store.close());
  const owner = { id: 'owner', email: null, role: 'owner', worldRoles: {}, status: 'active', rev: 1 };
  const name = 'Ada';
  const started = await Promise.all([ensureOwner(store, name), ensureOwner(store, name)]);
  const made = { ...owner, name, createdAt: clock.now() };
  expect(started).toEqual([made, made]);
  expect(await ensureOwner(store, 'somebody else')).toMatchObject({ id: 'owner', name });
  // Each request with the server's token asks for the owner, so nobody else is read.
  const withoutPeople: Pick<Store, 'read' | 'transact'> = {
    transact: (worldId, act) => store.transact(worldId, act),
    read: (query) => store.read((reader) => query({ ...reader, people: () => Promise.reject(new Error('read')) })),
  };
  expect(await ensureOwner(withoutPeople, name)).toMatchObject({ id: 'owner', name });
  expect(await store.read((r) => r.people())).toHaveLength(1);
  expect(await store.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 9 }))).toMatchObject([
    { kind: 'policy', decision: 'person added' },
  ]);
});

it('[WHO4] if nobody is an active owner, the server doesn’t start', async () => {
  const store = await openSqlite(':memory:');
  onTestFinished(() => store.close());
  const owner = await ensureOwner(store, 'Ada');
  await store.transact('', (tx) => tx.updatePerson({ ...owner, status: 'disabled' }));
  await expect(ensureOwner(store, 'Eve')).rejects.toThrow('This database has no active owner.');
});
