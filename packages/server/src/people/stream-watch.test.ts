import type { Store } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { expect, it, onTestFinished } from 'vitest';
import { insertCredential, makeLink } from './credentials.js';
import { ensureOwner } from './ensure-owner.js';
import { createStreamWatch } from './stream-watch.js';

it('[WHO4.5] reads all open sessions with one query, and ends the streams of the ended one', async () => {
  const clock = createFakeClock();
  const store = await openSqlite(':memory:', { clock });
  onTestFinished(() => store.close());
  const person = await ensureOwner(store, 'Ada');
  let queries = 0;
  const counted: Pick<Store, 'read'> = {
    read: (query) =>
      store.read((reader) =>
        query({
          ...reader,
          credential: () => Promise.reject(new Error('one query per session')),
          credentialsById: async (ids) => {
            queries += 1;
            return await reader.credentialsById(ids);
          },
        }),
      ),
  };
  const problems: unknown[] = [];
  const report = (error: unknown): void => void problems.push(error);
  const watch = createStreamWatch(counted, clock, { report, confirm: async (each) => each });
  const ended: string[] = [];
  const sessions: string[] = [];
  for (const name of ['laptop', 'phone', 'tablet']) {
    const made = makeLink();
    const session = { personId: person.id, kind: 'session', name, data: {}, parentId: null, expiresAt: null } as const;
    await store.transact('', (tx) => insertCredential(tx, made, session));
    sessions.push(made.id);
    const access = { holder: made.id, kind: 'session', person } as const;
    for (const world of ['lab', 'harbour']) watch.add(access, world, () => ended.push(`${name} ${world}`));
  }
  await watch.check();
  expect({ queries, ended }).toEqual({ queries: 1, ended: [] });
  await store.transact('', (tx) => tx.endCredential(sessions[1] ?? ''));
  await watch.check();
  expect({ queries, ended, problems }).toEqual({ queries: 2, ended: ['phone lab', 'phone harbour'], problems: [] });
});
