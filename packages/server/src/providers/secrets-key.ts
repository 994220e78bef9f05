import { randomBytes, scryptSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { CountersignError } from '@countersign/protocol';
import { readPrivate, writePrivateToDisk } from '../home/private-file.js';
import type { Keychain } from './keychain.js';
import { sealingKey, type SealingKey } from './seal.js';

/** The key that encrypts API keys in the store. It is never in the store itself. */
export interface SecretsKey {
  /** The key file, which must be hidden from commands. With `COUNTERSIGN_SECRETS_KEY`, an older file may still exist. */
  readonly file?: string;
  readonly isFromEnvironment?: boolean;
  /** Throws a user-facing error if the key is missing or can't be used. */
  get(): SealingKey;
  /** Creates the key if it is missing: in the keychain if wanted and possible, or else in the file. Only if no saved secret needs an older one. */
  create(options?: { inKeychain: boolean }): void;
  /** The key as text, to mask it in tool results (MODEL8.2). */
  texts(): readonly string[];
}

const VARIABLE = 'COUNTERSIGN_SECRETS_KEY';
const SHORTEST = 32;
const FEWEST_DIFFERENT = 10;

/**
 * Reads the key from `COUNTERSIGN_SECRETS_KEY`, which is then removed from the environment, from a file next to the home folder, or, if there is
 * no file, from the keychain.
 */
export function takeSecretsKey(home: string, env: NodeJS.ProcessEnv, keychain?: Keychain): SecretsKey {
  const file = secretsFile(home);
  const given = env[VARIABLE];
  // Child processes would inherit the variable.
  delete env[VARIABLE];
  if (given !== undefined && given !== '') {
    const old = existsSync(file) ? { file } : {};
    return { ...old, isFromEnvironment: true, ...givenSecretsKey(given, VARIABLE) };
  }
  let known: string | undefined;
  // Read once: a locked keychain takes seconds to fail, and each saved secret would read it again.
  let inKeychain: { key: string | undefined } | undefined;
  const readKeychain = (): string | undefined => (inKeychain ??= { key: keychain?.read() }).key;
  return {
    file,
    get: keep(() => {
      const stored = existsSync(file) ? undefined : readKeychain();
      known = stored !== undefined && BASE64_KEY.test(stored) ? stored : readFile(file, keychain);
      return sealingKey(Buffer.from(known, 'base64url'));
    }),
    create(options) {
      if (existsSync(file) || readKeychain() !== undefined) return;
      const key = randomBytes(32).toString('base64url');
      // Read back: a key that is lost later would take all secrets with it.
      if (options?.inKeychain === true && keychain?.write(key) === true && keychain.read() === key)
        inKeychain = { key };
      else createFile(file, key);
    },
    texts: () => (known === undefined ? [] : [known]),
  };
}

/** A key or passphrase of at least 32 characters. `name` is the setting that it comes from. */
export function givenSecretsKey(given: string, name: string): SecretsKey {
  const text = checked(given.trim(), name);
  return { get: keep(() => fromText(text)), create: () => undefined, texts: () => [text] };
}

/** The file is next to the home folder and not in it: a copy of the home folder alone reveals no key. */
export function secretsFile(home: string): string {
  return `${home}-secrets`;
}

/** A key that exists only in this process, for tests and programs that store nothing. */
export function temporarySecretsKey(): SecretsKey {
  return { get: keep(() => sealingKey(randomBytes(32))), create: () => undefined, texts: () => [] };
}

/** Derives the key once. Failures are not cached: the person may repair the file. */
function keep(make: () => SealingKey): () => SealingKey {
  let made: SealingKey | undefined;
  return () => (made ??= make());
}

const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

function fromText(text: string): SealingKey {
  if (BASE64_KEY.test(text)) return sealingKey(Buffer.from(text, 'base64url'));
  // A passphrase has less entropy than a key, so guessing is made slow.
  return sealingKey(scryptSync(text, 'countersign secrets key v1', 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }));
}

function checked(text: string, name: string): string {
  const make = 'Make one with: head -c 32 /dev/urandom | base64';
  if (text.length < SHORTEST) {
    throw invalid(name, `${name} has ${text.length} characters, but needs at least ${SHORTEST}. ${make}`);
  }
  if (new Set(text).size < FEWEST_DIFFERENT) {
    throw invalid(
      name,
      `${name} is too easy to guess: it needs at least ${FEWEST_DIFFERENT} different characters. ${make}`,
    );
  }
  return text;
}

function invalid(field: string, detail: string): CountersignError {
  return new CountersignError('invalid', detail, { field });
}

function readFile(file: string, keychain: Keychain | undefined): string {
  const text = readPrivate(file)?.trim();
  if (text !== undefined && BASE64_KEY.test(text)) return text;
  if (!existsSync(file)) {
    const restore = `Restore it from a backup, or set ${VARIABLE} to the key that was used, and restart`;
    const start = 'If it is lost, remove the providers and MCP servers with saved secrets, restart, and add them again';
    const searched =
      keychain === undefined
        ? ''
        : ` It is not in ${keychain.name} either. If that keychain is locked, unlock it and restart.`;
    throw new CountersignError(
      'conflict',
      `The file ${file}, which holds the key that encrypts secrets, is missing.${searched} ${restore}. ${start}`,
    );
  }
  const why =
    text === undefined ? `other users can read it, or it isn't yours. Run: chmod 600 ${file}` : 'it is damaged';
  throw new CountersignError(
    'conflict',
    `The file ${file}, which holds the key that encrypts secrets, can't be used: ${why}`,
  );
}

/** Never replaces a file: the saved API keys would be lost. */
function createFile(file: string, key: string): void {
  try {
    writePrivateToDisk(file, `${key}\n`);
  } catch (cause) {
    const detail = `The file ${file}, which holds the key that encrypts secrets, can't be written. Set ${VARIABLE} to a secret of at least ${SHORTEST} characters and restart.`;
    throw new CountersignError('conflict', detail, { cause });
  }
}
