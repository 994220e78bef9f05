import { randomBytes, scryptSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { CountersignError } from '@countersign/protocol';
import { readPrivate, writePrivate } from '../home/private-file.js';
import { sealingKey, type SealingKey } from './seal.js';

/** The key that encrypts API keys in the store. It is never in the store itself. */
export interface SecretsKey {
  /** The key file, which must be hidden from commands. With `COUNTERSIGN_SECRETS_KEY`, an older file may still exist. */
  readonly file?: string;
  readonly isFromEnvironment?: boolean;
  /** Creates the file if it is missing. Throws a user-facing error if it can't be used. */
  get(): SealingKey;
}

const VARIABLE = 'COUNTERSIGN_SECRETS_KEY';
const SHORTEST = 32;
const FEWEST_DIFFERENT = 10;

/** Reads the key from `COUNTERSIGN_SECRETS_KEY`, which is then removed from the environment, or from a file next to the home folder. */
export function takeSecretsKey(home: string, env: NodeJS.ProcessEnv): SecretsKey {
  const file = secretsFile(home);
  const given = env[VARIABLE];
  // Child processes would inherit the variable.
  delete env[VARIABLE];
  if (given !== undefined && given !== '') {
    const text = checked(given.trim());
    return { ...(existsSync(file) ? { file } : {}), isFromEnvironment: true, get: keep(() => fromText(text)) };
  }
  return { file, get: keep(() => fromFile(file)) };
}

/** The file is next to the home folder and not in it: a copy of the home folder alone reveals no key. */
function secretsFile(home: string): string {
  return `${home}-secrets`;
}

/** A key that exists only in this process, for tests and programs that store nothing. */
export function temporarySecretsKey(): SecretsKey {
  return { get: keep(() => sealingKey(randomBytes(32))) };
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

function checked(text: string): string {
  const make = 'Make one with: head -c 32 /dev/urandom | base64';
  if (text.length < SHORTEST) {
    throw invalid(`${VARIABLE} has ${text.length} characters, but needs at least ${SHORTEST}. ${make}`);
  }
  if (new Set(text).size < FEWEST_DIFFERENT) {
    throw invalid(
      `${VARIABLE} is too easy to guess: it needs at least ${FEWEST_DIFFERENT} different characters. ${make}`,
    );
  }
  return text;
}

function invalid(detail: string): CountersignError {
  return new CountersignError('invalid', detail, { field: VARIABLE });
}

function fromFile(file: string): SealingKey {
  const text = readPrivate(file)?.trim();
  if (text !== undefined && BASE64_KEY.test(text)) return sealingKey(Buffer.from(text, 'base64url'));
  // Never replace it: the stored keys would be lost.
  if (existsSync(file)) {
    const why =
      text === undefined ? `other users can read it, or it isn't yours. Run: chmod 600 ${file}` : 'it is damaged';
    throw new CountersignError('conflict', `The file ${file}, which encrypts API keys, can't be used: ${why}`);
  }
  const fresh = randomBytes(32).toString('base64url');
  try {
    writePrivate(file, `${fresh}\n`);
  } catch (cause) {
    const detail = `The file ${file}, which encrypts API keys, can't be written. Set ${VARIABLE} to a secret of at least ${SHORTEST} characters and restart.`;
    throw new CountersignError('conflict', detail, { cause });
  }
  return sealingKey(Buffer.from(fresh, 'base64url'));
}
