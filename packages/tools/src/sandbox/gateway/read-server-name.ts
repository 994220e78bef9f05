/**
 * What the first bytes of a connection say. `named`: a TLS client wants this server; without `name`, it doesn't say which, or hides it (ECH),
 * or names several.
 */
export type FirstBytes =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'other' }
  | { readonly kind: 'named'; readonly name: string | undefined };

/** Far more than any client sends. */
const MOST_BYTES = 64 * 1024;
const RECORD_HEADER = 5;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ENCRYPTED_HELLO = 0xfe0d;

/** Reads a ClientHello, which may be spread over several records. The program in the sandbox controls every byte of it. */
export function readServerName(bytes: Buffer): FirstBytes {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return { kind: 'other' };
  const records: Buffer[] = [];
  let at = 0;
  while (at + RECORD_HEADER <= bytes.length) {
    const end = at + RECORD_HEADER + bytes.readUInt16BE(at + 3);
    if (bytes[at] !== HANDSHAKE) return { kind: 'named', name: undefined };
    records.push(bytes.subarray(at + RECORD_HEADER, Math.min(end, bytes.length)));
    at = end;
  }
  const hello = Buffer.concat(records);
  const length = hello.length < 4 ? undefined : hello.readUIntBE(1, 3);
  if (hello.length > 0 && hello[0] !== CLIENT_HELLO) return { kind: 'named', name: undefined };
  if (length === undefined || hello.length < 4 + length) {
    return bytes.length > MOST_BYTES ? { kind: 'named', name: undefined } : { kind: 'incomplete' };
  }
  return { kind: 'named', name: nameIn(hello.subarray(4, 4 + length)) };
}

/** Undefined unless there is exactly one name, in the clear. */
function nameIn(hello: Buffer): string | undefined {
  try {
    // Version and random bytes; then the session, the ciphers and the compressions, each with its length.
    let at = 34;
    at += 1 + hello.readUInt8(at);
    at += 2 + hello.readUInt16BE(at);
    at += 1 + hello.readUInt8(at);
    const end = at + 2 + hello.readUInt16BE(at);
    const names: string[] = [];
    for (at += 2; at < end; at += 4 + hello.readUInt16BE(at + 2)) {
      const type = hello.readUInt16BE(at);
      if (type === ENCRYPTED_HELLO) return undefined;
      if (type === SERVER_NAME) names.push(...namesOf(hello.subarray(at + 4, at + 4 + hello.readUInt16BE(at + 2))));
    }
    return names.length === 1 ? names[0] : undefined;
  } catch {
    // Some length leads outside of the message.
    return undefined;
  }
}

function namesOf(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 2; at < list.length;) {
    const length = list.readUInt16BE(at + 1);
    names.push(list.toString('latin1', at + 3, at + 3 + length).toLowerCase());
    at += 3 + length;
  }
  return names;
}
