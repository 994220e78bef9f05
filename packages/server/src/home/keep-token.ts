import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { keepOwnFile } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { randomSecret } from '../auth/secrets.js';
import { readPrivate, writePrivate } from './private-file.js';

export interface Token {
  value: string;
  /** Where it comes from and is found again: the environment's is never printed. */
  source: { kind: 'environment' } | { kind: 'file'; path: string } | { kind: 'memory' };
  /** Who signs with it: one that is kept here is its owner's, one that was given may be anybody's. */
  holder: string;
}

/**
 * The token of this server (W1). A file would be read by the first command that an agent gets approved, so one is written only where
 * the sandbox hides this folder from commands (A21); elsewhere the token lives as long as the process.
 */
export function keepToken(home: string, env: NodeJS.ProcessEnv, isHidden: boolean): Token {
  const file = join(home, 'token');
  keepOwnFile(file);
  const given = env['COUNTERSIGN_TOKEN'];
  // Whatever this process starts would inherit it.
  delete env['COUNTERSIGN_TOKEN'];
  if (given !== undefined && given !== '') {
    const value = checked(given);
    rmSync(file, { force: true });
    return { value, source: { kind: 'environment' }, holder: ANYBODY };
  }
  if (!isHidden) {
    rmSync(file, { force: true });
    return { value: randomSecret(), source: { kind: 'memory' }, holder: ownName() };
  }
  const source = { kind: 'file', path: file } as const;
  const known = readPrivate(file)?.trim();
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return { value: known, source, holder: ownName() };
  const value = randomSecret();
  writePrivate(file, `${value}\n`);
  return { value, source, holder: ownName() };
}

/** A shorter token could be guessed. */
const SHORTEST = 32;

const ANYBODY = 'token holder';

function ownName(): string {
  try {
    return userInfo().username || ANYBODY;
  } catch {
    // A user without a name, as in some containers.
    return ANYBODY;
  }
}

/** The token that a server of this home has kept, for a command of the same person. */
export function readToken(home: string): string | undefined {
  const token = readPrivate(join(home, 'token'))?.trim();
  return token === '' ? undefined : token;
}

/** A token that can't be sent in a header would lock everybody out. */
function checked(token: string): string {
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) {
    throw invalid('COUNTERSIGN_TOKEN must be one word of 32 to 1000 visible ASCII characters.');
  }
  if (token.length >= SHORTEST) return token;
  throw invalid(
    `COUNTERSIGN_TOKEN has ${token.length} characters, but needs at least ${SHORTEST}. ` +
      "Make one with: head -c 24 /dev/urandom | base64 | tr '+/' '-_'",
  );
}

function invalid(detail: string): CountersignError {
  return new CountersignError('invalid', detail, { field: 'COUNTERSIGN_TOKEN' });
}
