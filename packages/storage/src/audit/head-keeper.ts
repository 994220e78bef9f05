import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { CountersignError } from '@countersign/protocol';
import type { AuditHead, KeptHead } from './head.js';

/** Keeps the ends of audit chains outside the database: a tail that is cut off inside it would verify otherwise (A16). */
export interface HeadKeeper {
  get(worldId: string): KeptHead | undefined;
  /** After a commit. Blocks nobody: the file follows a moment later, and a crash may leave it behind. */
  moved(worldId: string, head: AuditHead): void;
  /** Waits until the file says what is known here. */
  flush(): Promise<void>;
}

/** What a keeper asks the database. */
export interface Chains {
  /** The hash of a world's record. */
  hashAt(worldId: string, seq: number): Promise<string | undefined>;
  /** The ends of all chains that have a record. */
  heads(): Promise<(AuditHead & { worldId: string })[]>;
}

/**
 * For a store without a head file: in memory one would be no safer, and several processes on one database have none in common. What was
 * there before this process is not called unguarded, because no file was lost.
 */
export function keepHeadsInMemory(): HeadKeeper {
  const heads = new Map<string, KeptHead>();
  return {
    get: (worldId) => heads.get(worldId),
    moved: (worldId, head) => void heads.set(worldId, follow(heads.get(worldId), head)),
    flush,
  };
}

/** The newer of the two heads: commits of several writers may be told out of order. */
export function follow(known: KeptHead | undefined, head: AuditHead): KeptHead {
  return known === undefined || known.seq < head.seq ? { ...known, ...head } : known;
}

/** How long the file may lag behind. Written with each step it would cost as much as the step. */
const LAG_MS = 100;

/**
 * A head that the database contradicts stays as it is, or the records that follow would wipe the only trace of what was cut off. Records
 * of a chain that the file does not know now are unguarded: a file that was lost must not pass for one that knew them. A chain that begins
 * later has none, whichever process writes its first record.
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
        `${file}, which guards the audit log, can't be written. Make room for it or make it writable.`,
        { cause },
      );
    }
  }
  /** One write at a time: two renames could leave the older one in place. */
  const writeNext = (): Promise<void> => {
    const next = writing.then(write);
    writing = next.catch(() => undefined);
    return next;
  };

  return {
    get: (worldId) => heads.get(worldId),
    moved(worldId, head) {
      if (contradicted.has(worldId)) return;
      heads.set(worldId, follow(heads.get(worldId), head));
      isDirty = true;
      timer ??= setTimeout(() => {
        timer = undefined;
        // A failure leaves it dirty: the next record or `flush` tries again, and `flush` says so.
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

function readHeads(file: string): Map<string, KeptHead> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Map();
    throw new CountersignError('store-unavailable', `${file}, which guards the audit log, can't be read.`, { cause });
  }
  try {
    return new Map(Object.entries(headsIn(JSON.parse(text))));
  } catch (cause) {
    throw new CountersignError(
      'store-unavailable',
      `${file}, which guards the audit log, is damaged. Restore it from a backup, or remove it to go on without what it knew.`,
      { cause },
    );
  }
}

/** What is JSON but no heads is damage too: taken for none, it would be written over, and with it what it knew. */
function headsIn(value: unknown): Record<string, KeptHead> {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const isHead = (head: unknown): head is KeptHead =>
    isRecord(head) &&
    Number.isSafeInteger(head['seq']) &&
    typeof head['hash'] === 'string' &&
    (head['unguarded'] === undefined || Number.isSafeInteger(head['unguarded']));
  const isHeads = (value: unknown): value is Record<string, KeptHead> =>
    isRecord(value) && Object.values(value).every(isHead);
  if (!isHeads(value)) throw new Error('not the ends of audit chains');
  return value;
}

async function flush(): Promise<void> {}
