import { readFileSync } from 'node:fs';
import { auditEntrySchema, pinnedPasskeySchema, type AuditEntry, type PinnedPasskey } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { receiptWords as words } from '../words/receipts.js';

/** Reads an exported log (JSONL). One invalid line rejects the whole file. */
export function readExport(file: string): [AuditEntry, ...AuditEntry[]] {
  const [first, ...others] = linesOf(file).map(({ value, where }) => {
    const read = auditEntrySchema.safeParse(value);
    if (!read.success) throw new CommandError(words.notARecord(where), EXIT.failed);
    return read.data;
  });
  if (first === undefined) throw new CommandError(words.noRecords(file), EXIT.failed);
  return [first, ...others];
}

/** Reads the public keys that `people keys` printed. */
export function readPinnedKeys(file: string): PinnedPasskey[] {
  const keys = linesOf(file).map(({ value, where }) => {
    const read = pinnedPasskeySchema.safeParse(value);
    if (!read.success) throw new CommandError(words.notAKey(where), EXIT.failed);
    return read.data;
  });
  if (keys.length === 0) throw new CommandError(words.noKeys(file), EXIT.failed);
  return keys;
}

/** The JSON values in a file, one per line. A line that isn't JSON is undefined. */
function linesOf(file: string): { value: unknown; where: string }[] {
  return readText(file)
    .split('\n')
    .map((line, index) => ({ line, where: `${file}, line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, where }) => ({ value: parse(line), where }));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new CommandError(words.cannotRead(file, reason), EXIT.failed, cause);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
