/** Keeps a limited part of one stream. */
export interface OutputKeeper {
  push(bytes: Buffer): void;
  text(): string;
}

/** Keeps the first and last `limit` bytes and counts the rest, so that endless output can't fill memory. */
export function keepOutput(limit: number): OutputKeeper {
  const head: Buffer[] = [];
  let headBytes = 0;
  const tail: Buffer[] = [];
  let tailBytes = 0;
  let total = 0;
  return {
    push(bytes) {
      total += bytes.length;
      const forHead = bytes.subarray(0, limit - headBytes);
      if (forHead.length > 0) {
        head.push(forHead);
        headBytes += forHead.length;
      }
      const rest = bytes.subarray(forHead.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailBytes += rest.length;
      for (let first = tail[0]; first !== undefined && tailBytes - first.length >= limit; first = tail[0]) {
        tail.shift();
        tailBytes -= first.length;
      }
    },
    text() {
      const end = Buffer.concat(tail);
      if (total <= 2 * limit) return decode(Buffer.concat([...head, end]));
      const beginning = dropPartEnd(Buffer.concat(head));
      const ending = dropPartStart(end.subarray(-limit));
      const left = total - beginning.length - ending.length;
      return `${decode(beginning)}\n[${left} bytes were left out here.]\n${decode(ending)}`;
    },
  };
}

/** Invalid UTF-8 becomes U+FFFD (TURN14). */
function decode(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** Drops a truncated character at the end. */
function dropPartEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Drops a truncated character at the start. */
function dropPartStart(bytes: Buffer): Buffer {
  let cut = 0;
  while (cut < Math.min(3, bytes.length) && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut += 1;
  return bytes.subarray(cut);
}
