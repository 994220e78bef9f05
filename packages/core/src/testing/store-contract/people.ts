import { describe, expect, it } from 'vitest';
import { SERVER_LOG, type CredentialRecord, type PasskeyData, type PersonRecord } from '../../ports/index.js';
import { HOSTILE, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

function person(id: string, change: Partial<PersonRecord> = {}): PersonRecord {
  const given = { name: id, email: null, role: 'member', worldRoles: { w: 'admin' }, status: 'active' } as const;
  return { id, ...given, rev: 1, createdAt: 7, ...change };
}

function credential(id: string, change: Partial<CredentialRecord> = {}): CredentialRecord {
  return {
    id,
    personId: 'ada',
    kind: 'token',
    name: HOSTILE,
    hash: 'hash',
    data: { scopes: ['read'], createdBy: HOSTILE },
    parentId: null,
    createdAt: 7,
    usedAt: null,
    expiresAt: null,
    endedAt: null,
    ...change,
  };
}

/** People, credentials and groups, which belong to no world. */
export function describePeople(open: OpenStore, canShare: boolean): void {
  const { store, another } = freshStore(open);
  const add = (...people: PersonRecord[]): Promise<void> =>
    write(store(), async (tx) => {
      for (const each of people) await tx.insertPerson(each);
    });

  describe('people', () => {
    it('[WHO4] round-trip in the order they were added, and no concurrent change is lost', async () => {
      const ada = person('ada', { name: HOSTILE, email: 'Ada@example.com', role: null, worldRoles: {} });
      await add(ada, person('bob'));
      expect(await store().read((r) => r.people())).toStrictEqual([ada, person('bob')]);
      expect(await store().read((r) => r.person('ada'))).toStrictEqual(ada);
      expect(await store().read((r) => r.person('nobody'))).toBeUndefined();
      const changed = person('ada', { name: 'Ada', role: 'owner', status: 'disabled' });
      expect(await write(store(), (tx) => tx.updatePerson(changed))).toBe(true);
      expect(await write(store(), (tx) => tx.updatePerson(person('ada', { role: 'viewer' })))).toBe(false);
      expect(await store().read((r) => r.person('ada'))).toStrictEqual({ ...changed, rev: 2 });
    });

    it('[WHO4] [WHO4.10] have unique names and addresses, which don’t only look different, unless they were removed', async () => {
      await add(person('ada', { email: 'ada@example.com' }), person('bob'));
      const named = { code: 'conflict', field: 'name' };
      const same = { ...named, message: 'name: there is already a person "ada". Choose another name.' };
      const alike = {
        ...named,
        message: 'name: looks like the name of another person, "ada". Choose a name that differs more.',
      };
      const addressed = { code: 'conflict', field: 'email' };
      await expect(add(person('eve', { name: 'ADA' }))).rejects.toMatchObject(same);
      await expect(add(person('ada', { name: 'Eve' }))).rejects.toMatchObject(named);
      await expect(add(person('eve', { email: 'ADA@example.com' }))).rejects.toMatchObject(addressed);
      const renamed = write(store(), (tx) => tx.updatePerson(person('bob', { name: 'Ada' })));
      await expect(renamed).rejects.toMatchObject(same);
      // Cyrillic letters, and a digit.
      for (const name of ['\u0430d\u0430', '\u0412ob', 'B0b', 'ad\u200Ba'])
        await expect(add(person('eve', { name }))).rejects.toMatchObject(named);
      const lookalike = write(store(), (tx) => tx.updatePerson(person('bob', { name: '\u0410da' })));
      await expect(lookalike).rejects.toMatchObject(alike);
      expect(await store().read((r) => r.people())).toHaveLength(2);
      const removed = person('ada', { email: 'ada@example.com', status: 'removed' });
      expect(await write(store(), (tx) => tx.updatePerson(removed))).toBe(true);
      await add(person('ada-2', { name: 'Ada', email: 'ada@example.com' }));
    });
  });

  it('[WHO8.1] are found by their OIDC account, which belongs to one person, even after they were removed', async () => {
    const oidc = { issuer: 'https://id.example', subject: HOSTILE, groups: ['staff'], checkedAt: 7, refreshToken: 'x' };
    const ada = person('ada', { oidc });
    await add(ada, person('bob'));
    const find = (issuer: string, subject: string): Promise<PersonRecord | undefined> =>
      store().read((r) => r.personByOidc(issuer, subject));
    expect(await find(oidc.issuer, HOSTILE)).toStrictEqual(ada);
    expect(await find('https://other.example', HOSTILE)).toBeUndefined();
    expect(await find(oidc.issuer, 'bob')).toBeUndefined();
    await expect(add(person('eve', { oidc }))).rejects.toMatchObject({ code: 'conflict' });
    const removed = { ...ada, status: 'removed', oidc: { ...oidc, groups: [] } } as const;
    expect(await write(store(), (tx) => tx.updatePerson(removed))).toBe(true);
    expect(await find(oidc.issuer, HOSTILE)).toStrictEqual({ ...removed, rev: 2 });
    await expect(add(person('eve', { oidc }))).rejects.toMatchObject({ code: 'conflict' });
  });

  describe('credentials', () => {
    it('[WHO1] are found with their person, and only current ones are listed', async () => {
      await add(person('ada'), person('bob'));
      const token = credential('t1');
      await write(store(), async (tx) => {
        await tx.insertCredential(token);
        await tx.insertCredential(credential('t2', { personId: 'bob' }));
        await tx.insertCredential(credential('t3', { expiresAt: tx.now() }));
        await tx.insertCredential(credential('s1', { kind: 'session', data: { headerHash: 'h' } }));
      });
      const found = await store().read((r) => r.credential('t1'));
      expect(found).toStrictEqual({ credential: token, person: person('ada') });
      expect(await store().read((r) => r.credential('none'))).toBeUndefined();
      const several = await store().read((r) => r.credentialsById(['t2', 'none', 't1', `'"],[`, 't3']));
      expect(
        several
          .map(({ credential: { id }, person: { name } }) => [id, name])
          .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
      ).toEqual([
        ['t1', person('ada').name],
        ['t2', person('bob').name],
        ['t3', person('ada').name],
      ]);
      expect(several).toContainEqual({ credential: token, person: person('ada') });
      expect(await store().read((r) => r.credentialsById([]))).toEqual([]);
      expect(await store().read((r) => r.credentials('ada', 'token'))).toStrictEqual([token]);
      await write(store(), (tx) => tx.useCredential('t1', { usedAt: 9, expiresAt: 5e13 }));
      expect(await store().read((r) => r.credentials('ada', 'token'))).toStrictEqual([
        { ...token, usedAt: 9, expiresAt: 5e13 },
      ]);
    });

    it('[WHO1] end once, with the sessions opened with them, and never come back', async () => {
      await add(person('ada'));
      await write(store(), async (tx) => {
        await tx.insertCredential(credential('t1'));
        await tx.insertCredential(credential('late', { kind: 'invitation', expiresAt: tx.now() }));
        await tx.insertCredential(credential('s1', { kind: 'session', parentId: 't1' }));
        await tx.insertCredential(credential('s2', { kind: 'session' }));
      });
      const end = (id: string): Promise<boolean> => write(store(), (tx) => tx.endCredential(id));
      expect([await end('t1'), await end('t1'), await end('late'), await end('none')]).toEqual([
        true,
        false,
        false,
        false,
      ]);
      const ended = (id: string): Promise<number | null | undefined> =>
        store().read(async (r) => (await r.credential(id))?.credential.endedAt);
      expect(await ended('s1')).toBeGreaterThan(0);
      expect(await ended('s2')).toBeNull();
      await write(store(), (tx) => tx.useCredential('t1', { usedAt: 9, expiresAt: null }));
      expect((await store().read((r) => r.credential('t1')))?.credential.usedAt).toBeNull();
      await write(store(), (tx) => tx.insertCredential(credential('t2')));
      await write(store(), (tx) => tx.endCredentials('ada', 'session'));
      expect(await ended('t2')).toBeNull();
      await write(store(), (tx) => tx.endCredentials('ada'));
      expect([await ended('s2'), await ended('t2')]).not.toContain(null);
    });

    it('[WHO6] passkeys outlive their person’s other credentials, and only removing one ends it', async () => {
      await add(person('ada'), person('bob'));
      const passkey: PasskeyData = {
        credentialId: 'abc',
        publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'x' },
        rpId: 'localhost',
        origin: 'http://localhost:4747',
        counter: 0,
        trusted: false,
      };
      await write(store(), async (tx) => {
        await tx.insertCredential(credential('p1', { kind: 'passkey', data: { passkey } }));
        await tx.insertCredential(credential('p2', { kind: 'passkey', personId: 'bob', data: { passkey } }));
        await tx.insertCredential(credential('t1'));
        await tx.endCredentials('ada');
        await tx.updateCredential('p1', { passkey: { ...passkey, trusted: true } });
      });
      const all = await store().read((r) => r.passkeys());
      expect(all.map(({ credential: { id }, person: { name } }) => [id, name])).toEqual([
        ['p1', person('ada').name],
        ['p2', person('bob').name],
      ]);
      expect(all.map(({ credential: { data } }) => data.passkey?.trusted)).toEqual([true, false]);
      await write(store(), async (tx) => {
        await tx.endCredentials('ada', 'passkey');
        await tx.updateCredential('p1', {});
      });
      expect(await store().read((r) => r.passkeys())).toMatchObject([{ credential: { id: 'p2' } }]);
      expect((await store().read((r) => r.credential('p1')))?.credential.data.passkey?.trusted).toBe(true);
    });

    it('[PUSH1.2] a subscription ends with the session that created it, or with its person', async () => {
      await add(person('ada'), person('bob'));
      const push = { sealed: 'x', service: 'push.example', told: { harbour: { ids: ['a'], at: 1 } } };
      await write(store(), async (tx) => {
        await tx.insertCredential(credential('s1', { kind: 'session' }));
        await tx.insertCredential(credential('u1', { kind: 'push', parentId: 's1', data: { push } }));
        await tx.insertCredential(credential('u2', { kind: 'push', parentId: 's1', personId: 'bob' }));
        await tx.insertCredential(credential('u3', { kind: 'push' }));
      });
      const ids = async () => (await store().read((r) => r.subscriptions())).map(({ credential: { id } }) => id);
      expect(await ids()).toEqual(['u1', 'u2', 'u3']);
      expect((await store().read((r) => r.subscriptions()))[0]?.credential.data).toEqual({ push });
      await write(store(), (tx) => tx.endCredential('s1'));
      expect(await ids()).toEqual(['u2', 'u3']);
      await write(store(), (tx) => tx.endCredentials('ada'));
      expect(await ids()).toEqual(['u2']);
    });

    it('[WHO6] expired challenges are deleted with the next credential', async () => {
      await add(person('ada'));
      await write(store(), (tx) => tx.insertCredential(credential('c1', { kind: 'challenge', expiresAt: tx.now() })));
      await write(store(), (tx) => tx.insertCredential(credential('t1')));
      expect(await store().read((r) => r.credential('c1'))).toBeUndefined();
    });

    it('[WHO1] a single-use credential is consumed by one of many requests, even in different processes', async () => {
      await add(person('ada'));
      await write(store(), (tx) => tx.insertCredential(credential('i1', { kind: 'invitation' })));
      const stores = canShare ? [store(), await another(), await another()] : [store(), store(), store()];
      const taken = await Promise.all(stores.map((each) => write(each, (tx) => tx.endCredential('i1'))));
      expect(taken.filter(Boolean)).toHaveLength(1);
    });
  });

  it('[WHO4] groups are replaced and deleted', async () => {
    const finance = { name: 'finance', people: ['ada', 'bob'], oidcGroup: null };
    await write(store(), async (tx) => {
      await tx.putGroup({ name: 'release', people: [], oidcGroup: 'staff' });
      await tx.putGroup({ ...finance, people: [] });
      await tx.putGroup(finance);
    });
    const release = { name: 'release', people: [], oidcGroup: 'staff' };
    expect(await store().read((r) => r.groups())).toStrictEqual([finance, release]);
    expect(await write(store(), (tx) => tx.deleteGroup('finance'))).toBe(true);
    expect(await write(store(), (tx) => tx.deleteGroup('finance'))).toBe(false);
    expect(await store().read((r) => r.groups())).toStrictEqual([release]);
  });

  it('[LOG1] the server has an audit log of its own, which is not a world', async () => {
    const worlds = await store().read((r) => r.worlds());
    for (const why of ['first', 'second']) {
      await store().transact(SERVER_LOG, async (tx) => {
        await tx.lockServerLog();
        tx.record({ kind: 'policy', why });
      });
    }
    expect(await store().read((r) => r.worlds())).toStrictEqual(worlds);
    expect(await store().read((r) => r.audit(SERVER_LOG, { after: 0, limit: 9 }))).toMatchObject([
      { seq: 1, why: 'first' },
      { seq: 2, why: 'second' },
    ]);
    expect(await store().verifyAudit(SERVER_LOG)).toMatchObject({ ok: true, records: 2 });
  });
}
