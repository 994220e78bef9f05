import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** PostgreSQL limits payloads to less than 8,000 bytes. */
const PAYLOAD_BYTES = 7_900;
const SENDER_BYTES = 16;
const COUNT_BYTES = 8;
const TIME_BYTES = 8;
const HEADER_BYTES = SENDER_BYTES + COUNT_BYTES + TIME_BYTES;
const TAG_BYTES = 16;
/** The maximum size of a hint, because sealed hints are base64-encoded. */
export const HINT_LIMIT_BYTES = Math.floor((PAYLOAD_BYTES / 4) * 3) - HEADER_BYTES - TAG_BYTES - 3;
/** Older hints are treated as replays. Machines with a larger clock difference receive no hints and find everything in the log a second later. */
const FRESH_MS = 300_000;
/** Far more than the number of processes that share a store. */
const MAX_SENDERS = 1_000;

/** Encrypts and authenticates hints: any role that may connect to the database can read and send notifications. */
export interface HintSeal {
  seal(text: string): string;
  /** Undefined if the hint was not sealed with our key or was seen before. Never throws. */
  open(sealed: string): string | undefined;
}

/** AES-256-GCM with a key per sender, so that a counter can be the nonce. The header is authenticated, which prevents replays. */
export function createHintSeal(key: Uint8Array, now: () => number): HintSeal {
  const sender = randomBytes(SENDER_BYTES);
  const own = keyOf(key, sender);
  let count = 0n;
  const heard = new Map<string, { key: Buffer; last: bigint }>();

  function remember(name: string, found: { key: Buffer; last: bigint }): void {
    heard.set(name, found);
    const [oldest] = heard.size > MAX_SENDERS ? heard.keys() : [];
    if (oldest !== undefined) heard.delete(oldest);
  }

  return {
    seal(text) {
      count += 1n;
      const header = Buffer.alloc(HEADER_BYTES);
      sender.copy(header);
      header.writeBigUInt64BE(count, SENDER_BYTES);
      header.writeBigUInt64BE(BigInt(now()), SENDER_BYTES + COUNT_BYTES);
      const cipher = createCipheriv('aes-256-gcm', own, nonceOf(count)).setAAD(header);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([header, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < HEADER_BYTES + TAG_BYTES) return undefined;
      const header = bytes.subarray(0, HEADER_BYTES);
      const from = header.subarray(0, SENDER_BYTES);
      const name = from.toString('hex');
      const counted = header.readBigUInt64BE(SENDER_BYTES);
      const sentAt = Number(header.readBigUInt64BE(SENDER_BYTES + COUNT_BYTES));
      const known = heard.get(name);
      if (Math.abs(now() - sentAt) > FRESH_MS || (known !== undefined && counted <= known.last)) return undefined;
      const keyOfSender = known?.key ?? keyOf(key, from);
      try {
        const cipher = createDecipheriv('aes-256-gcm', keyOfSender, nonceOf(counted), { authTagLength: TAG_BYTES })
          .setAAD(header)
          .setAuthTag(bytes.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES));
        const body = cipher.update(bytes.subarray(HEADER_BYTES + TAG_BYTES));
        const text = Buffer.concat([body, cipher.final()]).toString('utf8');
        remember(name, { key: keyOfSender, last: counted });
        return text;
      } catch {
        return undefined;
      }
    },
  };
}

function keyOf(key: Uint8Array, sender: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', key, sender, 'countersign hints', 32));
}

function nonceOf(count: bigint): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(count, 4);
  return nonce;
}
