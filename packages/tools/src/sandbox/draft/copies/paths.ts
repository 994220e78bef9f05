const SLASH = Buffer.from('/');

/** Names may not be valid UTF-8, so paths are bytes. */
export function join(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, SLASH, name]);
}

/** One character for each byte. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}

export function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
