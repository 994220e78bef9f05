import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitReceipt, PinnedServer, SignedReceipt } from '@countersign/protocol';
import { readPrivate, writePrivate, writePrivateToDisk } from '../home/private-file.js';

/** The key with which a server signs receipts of commits. It never leaves the home folder, which no sandbox shows. */
export interface CommitKey {
  sign(receipt: CommitReceipt): SignedReceipt;
}

const PRIVATE = 'receipt.key';
/** The line that people keep elsewhere, to verify receipts with. */
const PUBLIC = 'receipt.pub';

/** Reads the key of a home folder, or creates it. */
export function openCommitKey(home: string): CommitKey {
  const file = join(home, PRIVATE);
  const found = readPrivate(file);
  if (found === undefined && existsSync(file)) throw new Error(`other users can read ${file}. Run chmod 600 on it`);
  const key = found === undefined ? generateKeyPairSync('ed25519').privateKey : createPrivateKey(found);
  if (found === undefined) writePrivateToDisk(file, String(key.export({ type: 'pkcs8', format: 'pem' })));
  const pinned = pinnedServer(key);
  writePrivate(join(home, PUBLIC), `${JSON.stringify(pinned)}\n`);
  return {
    sign(receipt) {
      const payload = JSON.stringify(receipt);
      return { payload, key: pinned.id, signature: sign(null, signedText(payload), key).toString('base64') };
    },
  };
}

function pinnedServer(key: KeyObject): PinnedServer {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(der).digest('hex').slice(0, 32);
  return { kind: 'countersign-server', version: 1, id, publicKey: der.toString('base64') };
}

/** A prefix, so that no signature of this key can stand for anything else. */
export function signedText(payload: string): Buffer {
  return Buffer.from(`countersign.commit.1\n${payload}`);
}
