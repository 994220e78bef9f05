import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { expect, it, onTestFinished } from 'vitest';
import { hashSecret, randomSecret } from '../auth/secrets.js';
import { writePrivate } from '../home/private-file.js';
import { findCredential } from './credentials.js';
import { ensureOwner } from './ensure-owner.js';
import { takeOverSessions } from './take-over-sessions.js';

async function home(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createFakeClock();
  const store = await openSqlite(':memory:', { clock });
  onTestFinished(() => store.close());
  writePrivate(join(folder, 'sessions.json'), text);
  const said: string[] = [];
  const owner = await ensureOwner(store, 'Ada');
  const takeOver = () => takeOverSessions(store, folder, owner, { warn: (message) => void said.push(message) });
  return { store, folder, said, takeOver, now: clock.now() };
}

it('[W8] [S5] the saved sessions of an existing home become sessions of the owner', async () => {
  const [cookie, header] = [randomSecret(), randomSecret()];
  const hashes = {
    cookieHash: hashSecret(cookie).toString('hex'),
    headerHash: hashSecret(header).toString('hex'),
  };
  const now = createFakeClock().now();
  const saved = { id: '4395abcd', ...hashes, createdAt: now - 1_000, usedAt: now };
  const { store, folder, said, takeOver } = await home(JSON.stringify({ version: 1, sessions: [saved] }));
  await takeOver();
  const found = await findCredential(store, 'session', `4395abcd.${cookie}`, header);
  expect(found).toMatchObject({ kind: 'found', found: { person: { id: 'owner', name: 'Ada' } } });
  expect((await findCredential(store, 'session', `4395abcd.${cookie}`, randomSecret())).kind).toBe('wrong');
  expect(existsSync(join(folder, 'sessions.json'))).toBe(false);
  await takeOver();
  expect(await store.read((r) => r.credentials('owner', 'session'))).toHaveLength(1);
  expect(said).toEqual([]);
});

it('[W8] a file that can’t be read signs nobody in, and the log says so', async () => {
  const { store, said, takeOver } = await home('{"version":1,"sessions":[{"id":"x"}]}');
  await takeOver();
  expect(await store.read((r) => r.credentials('owner', 'session'))).toEqual([]);
  expect(said).toEqual(['Saved sessions could not be read. Browsers have to open a new start link']);
});
