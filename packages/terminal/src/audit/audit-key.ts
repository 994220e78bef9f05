import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { auditWords as words } from '../words/audit.js';

/** `SHA256:…` of the public key, as shown to people and stored in heads. */
export function keyId(key: KeyObject): string {
  const spki = createPublicKey(key.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(spki).digest('base64').replace(/=+$/, '')}`;
}

interface NewKey {
  readonly file: string;
  readonly publicFile: string;
  readonly id: string;
}

/** Creates a key for audit heads: `FILE`, readable only by its owner, and `FILE.pub`. Never replaces a file. */
export function createKeyFile(file: string, home: string): NewKey {
  const path = resolve(file);
  const publicFile = `${path}.pub`;
  refuseInHome(path, home);
  for (const each of [path, publicFile]) {
    if (existsSync(each)) throw failed(words.keyExists(each));
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  try {
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw failed(words.cannotWriteKey(path, reasonOf(cause)), cause);
  }
  try {
    writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx', mode: 0o644 });
  } catch (cause) {
    rmSync(path, { force: true });
    throw failed(words.cannotWritePublicKey(publicFile, reasonOf(cause)), cause);
  }
  return { file: path, publicFile, id: keyId(publicKey) };
}

/** Reads a private key from a file outside the home folder that nobody else can read. */
export function readPrivateKey(file: string, home: string): KeyObject {
  if (!isAbsolute(file)) throw failed(words.relativeKey(file));
  refuseInHome(file, home);
  const text = readKeyText(file);
  if ((statSync(file).mode & 0o077) !== 0) {
    throw failed(words.readableKey(file));
  }
  return ed25519(file, () => createPrivateKey(text));
}

/** Reads the public key from the PEM file of a public or private key. */
export function readPublicKey(file: string): KeyObject {
  const text = readKeyText(file);
  return ed25519(file, () => createPublicKey(text));
}

/** Whether a file is inside a folder, comparing real paths. Neither has to exist. */
export function isInside(folder: string, file: string): boolean {
  const way = relative(realPath(resolve(folder)), realPath(resolve(file)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function refuseInHome(file: string, home: string): void {
  if (!isInside(home, file)) return;
  throw failed(words.keyInHome(file, home));
}

/** The real path of the existing part, with the rest appended: a symlink into the home folder counts as inside. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

function readKeyText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw failed(words.cannotReadKey(file, reasonOf(cause)), cause);
  }
}

function ed25519(file: string, read: () => KeyObject): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch {
    // Not a key. Don't show the parser's message, which could quote the file.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw failed(words.notAKey(file));
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}

function failed(message: string, cause?: unknown): CommandError {
  return new CommandError(message, EXIT.failed, cause);
}
