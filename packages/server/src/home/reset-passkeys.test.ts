import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVER_LOG } from '@countersign/core/ports';
import { lockFile, openSqlite } from '@countersign/storage';
import { expect, it, onTestFinished } from 'vitest';
import { insertCredential, makeSecret } from '../people/credentials.js';
import { ensureOwner } from '../people/ensure-owner.js';
import { createSoftPasskey, insertPasskey } from '../testing/soft-passkey.js';
import { resetPasskeys } from './reset-passkeys.js';

it('[WHO6.5] removes the passkeys and ends the sessions of a person while no server runs, and records it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-reset-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const open = () => openSqlite(join(home, 'countersign.db'));
  const store = await open();
  await ensureOwner(store, 'Ada Lovelace');
  await insertPasskey(store, 'owner', createSoftPasskey());
  await insertPasskey(store, 'owner', createSoftPasskey(), { trusted: false });
  await store.transact('', async (tx) => {
    for (const kind of ['session', 'token'] as const)
      await insertCredential(tx, makeSecret(), { personId: 'owner', kind, name: kind });
  });
  await store.close();

  const unlock = lockFile(join(home, 'lock'));
  await expect(resetPasskeys(home, {}, 'owner')).rejects.toThrow('Stop it before you reset passkeys.');
  unlock?.();
  await expect(resetPasskeys(home, {}, 'nobody')).rejects.toThrow('There is no person "nobody".');
  const report = { person: { id: 'owner', name: 'Ada Lovelace' }, trustedLeft: 0 };
  expect(await resetPasskeys(home, {}, 'ada lovelace')).toEqual({ ...report, removed: 2, sessions: 1, tokensLeft: 1 });
  expect(await resetPasskeys(home, {}, 'owner')).toEqual({ ...report, removed: 0, sessions: 0, tokensLeft: 1 });

  const after = await open();
  onTestFinished(() => after.close());
  expect(await after.read((r) => r.passkeys())).toEqual([]);
  expect(await after.read((r) => r.credentials('owner', 'session'))).toEqual([]);
  const log = await after.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 9 }));
  expect(log.filter(({ decision }) => decision === 'passkeys reset')).toMatchObject([
    { who: { kind: 'system' }, why: expect.stringContaining('with the server stopped') as string },
  ]);
});
