import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeSecretsKey } from './secrets-key.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const idOf = (env: NodeJS.ProcessEnv, home = 'home'): string => takeSecretsKey(join(folder, home), env).get().id;
/** As on the first start of a server. */
function created(home = 'home') {
  const key = takeSecretsKey(join(folder, home), {});
  key.create();
  return key;
}

it('[MODEL8.2] comes from COUNTERSIGN_SECRETS_KEY, which is removed from the environment, without creating a file', async () => {
  const env = { COUNTERSIGN_SECRETS_KEY: 'C5m0Xw4y9pQeT2uZk7VbN1sLr8Hd3JfGa6YtMoIxEcA=' };
  const key = takeSecretsKey(join(folder, 'home'), env);
  expect(env).toEqual({});
  const { id } = key.get();
  expect(existsSync(join(folder, 'home-secrets'))).toBe(false);
  // The same key in either base64 alphabet; another machine with that key can decrypt.
  expect(idOf({ COUNTERSIGN_SECRETS_KEY: ' C5m0Xw4y9pQeT2uZk7VbN1sLr8Hd3JfGa6YtMoIxEcA\n' }, 'other')).toBe(id);
  const phrase = 'correct horse battery staple, and then some';
  expect(idOf({ COUNTERSIGN_SECRETS_KEY: phrase })).toBe(idOf({ COUNTERSIGN_SECRETS_KEY: phrase }, 'other'));
  expect(idOf({ COUNTERSIGN_SECRETS_KEY: phrase })).not.toBe(id);
});

it('[SAFE1] reports the file even if the key comes from the environment: an older file must stay hidden', () => {
  created();
  const env = { COUNTERSIGN_SECRETS_KEY: 'C5m0Xw4y9pQeT2uZk7VbN1sLr8Hd3JfGa6YtMoIxEcA=' };
  expect(takeSecretsKey(join(folder, 'home'), env).file).toBe(join(folder, 'home-secrets'));
});

it('[MODEL8.8] rejects a weak key with a clear error message', () => {
  const take = (text: string) => () => takeSecretsKey(join(folder, 'home'), { COUNTERSIGN_SECRETS_KEY: text }).get();
  expect(take('short')).toThrow('COUNTERSIGN_SECRETS_KEY has 5 characters, but needs at least 32.');
  expect(take('abababababababababababababababababab')).toThrow('COUNTERSIGN_SECRETS_KEY is too easy to guess');
  const error = { code: 'invalid', field: 'COUNTERSIGN_SECRETS_KEY' };
  expect(take('short')).toThrow(expect.objectContaining(error) as Error);
});

it('[MODEL8.2] is otherwise a file next to the home with mode 0600, and stays the same', async () => {
  const key = created();
  const file = join(folder, 'home-secrets');
  expect(key.file).toBe(file);
  const { id } = key.get();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(idOf({})).toBe(id);
  expect(created('other').get().id).not.toBe(id);
  created();
  expect(idOf({})).toBe(id);
});

it('[MODEL8.7] never replaces an unusable file: the saved keys would be lost', async () => {
  const { id } = created().get();
  const file = join(folder, 'home-secrets');
  const before = await readFile(file, 'utf8');
  await chmod(file, 0o644);
  expect(() => idOf({})).toThrow(`Run: chmod 600 ${file}`);
  await chmod(file, 0o600);
  expect(idOf({})).toBe(id);
  await writeFile(file, 'half');
  expect(() => idOf({})).toThrow('it is damaged');
  created();
  expect(await readFile(file, 'utf8')).toBe('half');
  await writeFile(file, before);
  expect(idOf({})).toBe(id);
});

it('[MODEL8.2] says what to do if the file can’t be written', () => {
  expect(() => created('no-such-folder/home')).toThrow('Set COUNTERSIGN_SECRETS_KEY');
});

it('[MODEL8.7] a missing file is not created for a key that is read', () => {
  expect(() => idOf({})).toThrow('is missing. Restore it from a backup');
  expect(existsSync(join(folder, 'home-secrets'))).toBe(false);
});

it('[MODEL8.2] returns its text, so that it is masked in tool results', async () => {
  const key = created();
  expect(key.texts()).toEqual([]);
  key.get();
  expect(key.texts()).toEqual([(await readFile(join(folder, 'home-secrets'), 'utf8')).trim()]);
  const phrase = 'correct horse battery staple, and then some';
  expect(takeSecretsKey(join(folder, 'home'), { COUNTERSIGN_SECRETS_KEY: ` ${phrase}` }).texts()).toEqual([phrase]);
});

it('[MODEL8.8] takes 43 characters of base64 as 32 bytes, even if they were meant as a passphrase', () => {
  const words = 'correcthorsebatterystapleandthensomemore123';
  expect(words).toHaveLength(43);
  expect(idOf({ COUNTERSIGN_SECRETS_KEY: words })).toBe(idOf({ COUNTERSIGN_SECRETS_KEY: `${words}=` }));
  expect(idOf({ COUNTERSIGN_SECRETS_KEY: `${words}4` })).not.toBe(idOf({ COUNTERSIGN_SECRETS_KEY: words }));
});
