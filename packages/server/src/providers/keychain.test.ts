import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findKeychain, type Keychain } from './keychain.js';
import { takeSecretsKey } from './secrets-key.js';

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function memoryKeychain(start?: string): Keychain & { entry: string | undefined; reads: number } {
  return {
    name: 'a test keychain',
    entry: start,
    reads: 0,
    read() {
      this.reads += 1;
      return this.entry;
    },
    write(key) {
      this.entry = key;
      return true;
    },
  };
}

it('[MODEL8.9] a new key goes to the keychain, and an existing file is used instead of it', () => {
  const home = join(freshFolder(), 'home');
  const keychain = memoryKeychain();
  const first = takeSecretsKey(home, {}, keychain);
  first.create({ inKeychain: true });
  expect(first.get().id).toBe(takeSecretsKey(home, {}, keychain).get().id);
  expect(first.texts()).toEqual([keychain.entry]);
  expect(existsSync(`${home}-secrets`)).toBe(false);
  writeFileSync(`${home}-secrets`, 'A'.repeat(43), { mode: 0o600 });
  expect(takeSecretsKey(home, {}, keychain).texts()).toEqual([]);
  expect(takeSecretsKey(home, {}, keychain).get().id).not.toBe(first.get().id);
});

it.each([
  ['that forgets', { read: () => undefined, write: () => true }],
  ['that refuses', { read: () => undefined, write: () => false }],
])('[MODEL8.9] with a keychain %s, the key is in the file', (_what, keychain) => {
  const home = join(freshFolder(), 'home');
  const key = takeSecretsKey(home, {}, { name: 'a test keychain', ...keychain });
  key.create({ inKeychain: true });
  expect(readFileSync(`${home}-secrets`, 'utf8')).toMatch(/^[\w-]{43}\n$/);
  expect(key.get().id).toMatch(/^\w{12}$/);
});

it('[MODEL8.7] [MODEL8.9] a lost key is reported, and a locked keychain is asked once', () => {
  const home = join(freshFolder(), 'home');
  const keychain = memoryKeychain();
  const key = takeSecretsKey(home, {}, keychain);
  for (let time = 0; time < 3; time += 1) expect(() => key.get()).toThrow('It is not in a test keychain either');
  expect(keychain.reads).toBe(1);
  expect(existsSync(`${home}-secrets`)).toBe(false);
});

it('[MODEL8.9] there is a keychain only on a desktop; on a Mac, only if it is turned on', () => {
  const find = (name: string): string => `/usr/bin/${name}`;
  const at = (platform: string, env: NodeJS.ProcessEnv): string | undefined =>
    findKeychain('/home/p/.countersign', { env, platform, find })?.name;
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus' };
  expect(at('linux', bus)).toBe('the keychain of this desktop (secret service)');
  expect(at('linux', {})).toBeUndefined();
  expect(at('linux', { ...bus, COUNTERSIGN_KEYCHAIN: 'off' })).toBeUndefined();
  expect(at('darwin', {})).toBeUndefined();
  expect(at('darwin', { COUNTERSIGN_KEYCHAIN: 'on' })).toBe('the keychain of this Mac');
  expect(() => at('linux', { COUNTERSIGN_KEYCHAIN: 'yes' })).toThrow('COUNTERSIGN_KEYCHAIN must be on or off.');
});

it('[MODEL8.9] the key is never an argument of a program, and programs get none of our secrets', () => {
  const folder = freshFolder();
  const program = join(folder, 'security');
  const log = join(folder, 'log');
  // The contract of macOS: `security -i` reads commands, and `-w` prints the password.
  writeFileSync(
    program,
    `#!/bin/sh
echo "$* $OPENAI_API_KEY" >> ${log}
case "$1" in -i) sed 's/.* -w //' > ${folder}/entry;; *) cat ${folder}/entry;; esac
`,
  );
  chmodSync(program, 0o755);
  const env = { COUNTERSIGN_KEYCHAIN: 'on', OPENAI_API_KEY: 'sk-of-ours' };
  const keychain = findKeychain('/home/p/"; rm', { env, platform: 'darwin', find: () => program });
  const key = 'k'.repeat(43);
  expect(keychain?.write(key)).toBe(true);
  expect(keychain?.read()).toBe(key);
  const said = readFileSync(log, 'utf8');
  expect(said).not.toContain(key);
  expect(said).not.toContain('sk-of-ours');
  expect(said).not.toContain('rm');
});
