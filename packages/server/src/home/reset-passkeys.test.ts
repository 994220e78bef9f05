import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVER_LOG } from '@countersign/core/ports';
import { lockFile, openSqlite } from '@countersign/storage';
import { expect, it, onTestFinished } from 'vitest';
import { ensureOwner } from '../people/ensure-owner.js';
import { createSoftPasskey, insertPasskey } from '../testing/soft-passkey.js';
import { resetPasskeys } from './reset-passkeys.js';

it('[W8.10] removes the passkeys of a person while no server runs, and records it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-reset-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const open = () => openSqlite(join(home, 'countersign.db'));
  const store = await open();
  await ensureOwner(store, 'Ada Lovelace');
  await insertPasskey(store, 'owner', createSoftPasskey());
  await insertPasskey(store, 'owner', createSoftPasskey(), { trusted: false });
  await store.close();

  const unlock = lockFile(join(home, 'lock'));
  await expect(resetPasskeys(home, {}, 'owner')).rejects.toThrow('Stop it before you reset passkeys.');
  unlock?.();
  await expect(resetPasskeys(home, {}, 'nobody')).rejects.toThrow('There is no person "nobody".');
  const report = { person: { id: 'owner', name: 'Ada Lovelace' }, trustedLeft: 0 };
  expect(await resetPasskeys(home, {}, 'ada lovelace')).toEqual({ ...report, removed: 2 });
  expect(await resetPasskeys(home, {}, 'owner')).toEqual({ ...report, removed: 0 });

  const after = await open();
  onTestFinished(() => after.close());
  expect(await after.read((r) => r.passkeys())).toEqual([]);
  const log = await after.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 9 }));
  expect(log.filter(({ decision }) => decision === 'passkeys reset')).toMatchObject([
    { who: { kind: 'system' }, why: expect.stringContaining('with the server stopped') as string },
  ]);
});
