import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { CountersignError } from '@countersign/protocol';
import type { AuditHead, StoredHead } from './head.js';

/** Keeps audit heads outside the database: without them, a truncated chain would still verify (LOG1). */
export interface HeadKeeper {
  get(worldId: string): StoredHead | undefined;
  /** Called after a commit. Doesn't block: the file is written a moment later, so after a crash it may lag behind. */
  advanced(worldId: string, head: AuditHead): void;
  /** Waits until the file is up to date. */
  flush(): Promise<void>;
}

/** The queries that a head keeper needs. */
export interface Chains {
  /** The hash of a world's record. */
  hashAt(worldId: string, seq: number): Promise<string | undefined>;
  /** The heads of all non-empty chains. */
  heads(): Promise<(AuditHead & { worldId: string })[]>;
}

/**
 * For a store without a head file: in memory, or shared by several processes. Existing records aren't treated as unguarded, because no file was
 * lost.
 */
export function keepHeadsInMemory(): HeadKeeper {
  const heads = new Map<string, StoredHead>();
  return {
    get: (worldId) => heads.get(worldId),
    advanced: (worldId, head) => void heads.set(worldId, follow(heads.get(worldId), head)),
    flush,
  };
}

/** Returns the newer of two heads: concurrent commits may report out of order. */
export function follow(known: StoredHead | undefined, head: AuditHead): StoredHead {
  return known === undefined || known.seq < head.seq ? { ...known, ...head } : known;
}

/** How long the file may lag behind. Writing it with each step would double the cost of a step. */
const LAG_MS = 100;

/**
 * A head that contradicts the database is kept: replacing it would hide the truncation. Records in a chain that is missing from the file are
 * unguarded, because the file may have been lost; chains that start later have no unguarded records.
 */
export async function keepHeadsInFile(file: string, chains: Chains): Promise<HeadKeeper> {
  const heads = readHeads(file);
  const contradicted = new Set<string>();
  for (const [worldId, head] of heads) {
    if ((await chains.hashAt(worldId, head.seq)) !== head.hash) contradicted.add(worldId);
  }
  for (const { worldId, seq, hash } of await chains.heads()) {
    if (!heads.has(worldId)) heads.set(worldId, { seq, hash, unguarded: seq });
  }

  let isDirty = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (!isDirty) return;
    isDirty = false;
    const draft = `${file}.new`;
    try {
      await writeFile(draft, `${JSON.stringify(Object.fromEntries(heads), undefined, 1)}\n`, { mode: 0o600 });
      await rename(draft, file);
    } catch (cause) {
      isDirty = true;
      await rm(draft, { force: true });
      throw new CountersignError(
        'store-unavailable',
        `${file}, which guards the audit log, can't be written. Free disk space or make it writable.`,
        { cause },
      );
    }
  }
  /** Runs one write at a time: otherwise, an older rename could win. */
  const writeNext = (): Promise<void> => {
    const next = writing.then(write);
    writing = next.catch(() => undefined);
    return next;
  };

  return {
    get: (worldId) => heads.get(worldId),
    advanced(worldId, head) {
      if (contradicted.has(worldId)) return;
      heads.set(worldId, follow(heads.get(worldId), head));
      isDirty = true;
      timer ??= setTimeout(() => {
        timer = undefined;
        // After a failure, the file stays marked as dirty: the next record or `flush` retries, and `flush` reports the error.
        writeNext().catch(() => undefined);
      }, LAG_MS).unref();
    },
    flush() {
      clearTimeout(timer);
      timer = undefined;
      return writeNext();
    },
  };
}

function readHeads(file: string): Map<string, StoredHead> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Map();
    throw new CountersignError(
      'store-unavailable',
      `${file}, which guards the audit log, can't be read. Check its permissions.`,
      { cause },
    );
  }
  try {
    return new Map(Object.entries(headsIn(JSON.parse(text))));
  } catch (cause) {
    throw new CountersignError(
      'store-unavailable',
      `${file}, which guards the audit log, is damaged. Restore it from a backup, or remove it to continue without its heads.`,
      { cause },
    );
  }
}

/** Valid JSON with unexpected content also means a damaged file: if it were treated as empty, it would be overwritten. */
function headsIn(value: unknown): Record<string, StoredHead> {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const isHead = (head: unknown): head is StoredHead =>
    isRecord(head) &&
    Number.isSafeInteger(head['seq']) &&
    typeof head['hash'] === 'string' &&
    (head['unguarded'] === undefined || Number.isSafeInteger(head['unguarded']));
  const isHeads = (value: unknown): value is Record<string, StoredHead> =>
    isRecord(value) && Object.values(value).every(isHead);
  if (!isHeads(value)) throw new Error('not a list of audit heads');
  return value;
}

async function flush(): Promise<void> {}
