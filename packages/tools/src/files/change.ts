import { createHash } from 'node:crypto';
import type { Preview } from '@countersign/protocol';
import { looksBinary } from './looks-binary.js';
import type { Target } from './open-target.js';
import { unifiedDiff } from './unified-diff.js';

/** What an approval covers besides the arguments (A7): the real path of the target and its current content. */
export function fingerprintOf({ path, old }: Target): string {
  const content = old === undefined ? 'absent' : createHash('sha256').update(old.bytes).digest('hex');
  return JSON.stringify([path, content]);
}

/** Refuses the write if the target changed after the call was approved. */
export function checkUnchanged(target: Target, signed: string | undefined): void {
  if (signed === undefined || fingerprintOf(target) === signed) return;
  throw new Error(
    `"${target.name}" changed after this call was approved, so nothing was written. Read it and try again`,
  );
}

export function diffOf({ name, old }: Target, content: string): Preview {
  if (old !== undefined && looksBinary(old.bytes)) {
    const text = `--- a/${name}\n+++ b/${name}\n(a binary file of ${old.bytes.length} bytes is replaced by ${Buffer.byteLength(content)} bytes of text)`;
    return { text, truncated: true };
  }
  return unifiedDiff(name, old?.bytes.toString('utf8'), content);
}
