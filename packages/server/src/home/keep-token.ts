import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { registerOwnFile } from '@countersign/core/ports';
import { CountersignError, type Who } from '@countersign/protocol';
import { ownerOf, SHARED_TOKEN } from '../auth/holders.js';
import { randomSecret } from '../auth/secrets.js';
import { readPrivate, writePrivate } from './private-file.js';

export interface Token {
  value: string;
  /** The source of the token. A token from the environment is never printed. */
  source: { kind: 'environment' } | { kind: 'file'; path: string } | { kind: 'memory' };
  /** Who signs with the token: the owner, or nobody in particular if several people may share a token from the environment. */
  holder: Who;
}

/**
 * The server's token (WHO1). It is written to a file only if the sandbox hides that file from commands (SAFE1): otherwise, the first approved
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
    return { value, source: { kind: 'environment' }, holder: SHARED_TOKEN };
  }
  if (!isHidden) {
    rmSync(file, { force: true });
    return { value: randomSecret(), source: { kind: 'memory' }, holder: ownerOf() };
  }
  const source = { kind: 'file', path: file } as const;
  const known = readPrivate(file)?.trim();
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return { value: known, source, holder: ownerOf() };
  const value = randomSecret();
  writePrivate(file, `${value}\n`);
  return { value, source, holder: ownerOf() };
}

/** Shorter tokens could be guessed. */
const MIN_LENGTH = 32;

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
