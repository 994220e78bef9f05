import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { registerOwnFile } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { randomSecret } from '../auth/secrets.js';
import { readPrivate, writePrivate } from './private-file.js';

export interface Token {
  value: string;
  /** The source of the token. A token from the environment is never printed. */
  source: { kind: 'environment' } | { kind: 'file'; path: string } | { kind: 'memory' };
  /** The signer name for the token: the user for a generated token, "anybody" for one from the environment. */
  holder: string;
}

/**
 * The server's token (W1). It is written to a file only if the sandbox hides that file from commands (A21): otherwise, the first approved
 * command could read it.
 */
export function keepToken(home: string, env: NodeJS.ProcessEnv, isHidden: boolean): Token {
  const file = join(home, 'token');
  registerOwnFile(file);
  const given = env['COUNTERSIGN_TOKEN'];
  // Child processes would inherit the variable.
  delete env['COUNTERSIGN_TOKEN'];
  if (given !== undefined && given !== '') {
    const value = checked(given);
    rmSync(file, { force: true });
    return { value, source: { kind: 'environment' }, holder: TOKEN_HOLDER };
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

/** Shorter tokens could be guessed. */
const MIN_LENGTH = 32;

const TOKEN_HOLDER = 'token holder';

function ownName(): string {
  try {
    return userInfo().username || TOKEN_HOLDER;
  } catch {
    // The user has no name, as in some containers.
    return TOKEN_HOLDER;
  }
}

/** The token saved by this home folder's server, for the same user's other commands. */
export function readToken(home: string): string | undefined {
  const token = readPrivate(join(home, 'token'))?.trim();
  return token === '' ? undefined : token;
}

/** Rejects tokens that can't be sent in a header: nobody could sign in. */
function checked(token: string): string {
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) {
    throw invalid('COUNTERSIGN_TOKEN must be 32 to 1000 printable ASCII characters without spaces.');
  }
  if (token.length >= MIN_LENGTH) return token;
  throw invalid(
    `COUNTERSIGN_TOKEN has ${token.length} characters, but needs at least ${MIN_LENGTH}. ` +
      "Create one with: head -c 24 /dev/urandom | base64 | tr '+/' '-_'",
  );
}

function invalid(detail: string): CountersignError {
  return new CountersignError('invalid', detail, { field: 'COUNTERSIGN_TOKEN' });
}
