import { resolve } from 'node:path';
import type { Store } from '@countersign/core/ports';
import { CountersignError, SERVER_LOG } from '@countersign/protocol';
import { openPostgres } from '../postgres/open.js';
import { openSqlite } from '../sqlite/open.js';
import { openRawPostgres } from './raw-postgres.js';
import { openRawSqlite } from './raw-sqlite.js';
import { keepHeadsInFile } from '../audit/head-keeper.js';
import { OWN_META, type RawStore } from './raw-store.js';

export type StorePlace =
  | { kind: 'sqlite'; file: string }
  /** `headFile`: the file that stores the audit heads, outside the database. */
  | { kind: 'postgres'; url: string; schema?: string; headFile?: string };

export interface CopyProgress {
  table: string;
  rows: number;
  of: number;
}

export interface CopyReport {
  /** Row counts by table, equal on both sides. */
  tables: Readonly<Record<string, number>>;
  /** Number of verified audit records, equal on both sides. */
  auditRecords: number;
}

/** Tables that are not copied: live processes, and the search index, which is rebuilt. */
const OWN_TABLES = /^(processes|search.*)$/;

/**
 * Copies a store into an empty one, completely or not at all. Compares row counts and verifies both audit chains: copying a
 * broken chain would hide when it broke.
 */
export async function copyStore(
  from: StorePlace,
  to: StorePlace,
  onProgress: (progress: CopyProgress) => void = () => undefined,
): Promise<CopyReport> {
  const records = await verify(from, 'The source');
  const tables = await withRaw(from, (source) =>
    withRaw(to, async (target) => {
      const counts = await copyTables(source, target, onProgress);
      await writeHeads(source, to);
      return counts;
    }),
  );
  const copied = await verify(to, 'The copy');
  if (copied !== records) {
    throw new CountersignError('conflict', `The copy has ${copied} audit records, not ${records}. Copy again.`);
  }
  return { tables, auditRecords: records };
}

async function withRaw<T>(place: StorePlace, work: (store: RawStore) => Promise<T>): Promise<T> {
  const store = place.kind === 'sqlite' ? openRawSqlite(place.file) : await openRawPostgres(place.url, place.schema);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Also writes the audit heads: otherwise, a truncated copy would still verify (LOG1). */
async function writeHeads(source: RawStore, to: StorePlace): Promise<void> {
  const file = to.kind === 'sqlite' ? `${resolve(to.file)}.audit-head` : to.headFile;
  if (file === undefined) return;
  const keeper = await keepHeadsInFile(file, { hashAt: async () => undefined, heads: async () => [] });
  for await (const page of source.pages('worlds', ['id', 'audit_seq', 'audit_hash'])) {
    for (const [id, seq, hash] of page) {
      if (Number(seq) > 0) keeper.advanced(String(id), { seq: Number(seq), hash: String(hash) });
    }
  }
  await keeper.flush();
}

async function copyTables(
  source: RawStore,
  target: RawStore,
  onProgress: (progress: CopyProgress) => void,
): Promise<Record<string, number>> {
  const known = await source.tables();
  const wanted = [...(await target.tables())].filter(([table]) => !OWN_TABLES.test(table));
  const missing = wanted.find(([table]) => !known.has(table))?.[0];
  if (missing !== undefined) throw new CountersignError('invalid', `The source has no table ${missing}.`);
  for (const [table] of wanted) {
    if (table !== 'meta' && (await target.count(table)) > 0) {
      throw new CountersignError('conflict', 'The target is not empty. Choose an empty one.');
    }
  }
  const counts: Record<string, number> = {};
  await target.write(async (writer) => {
    for (const [table, columns] of wanted) {
      const of = await source.count(table);
      let rows = 0;
      // Copy the hash key too: otherwise, every approval would become invalid.
      if (table === 'meta') await writer.emptyMeta();
      for await (const page of source.pages(table, columns)) {
        const kept =
          table === 'meta' ? page.filter((row) => !OWN_META.includes(String(row[columns.indexOf('key')]))) : page;
        if (kept.length > 0) await writer.insert(table, columns, kept);
        rows += page.length;
        onProgress({ table, rows, of });
      }
      if (rows !== of) throw new CountersignError('conflict', `${table}: ${rows} of ${of} rows were read. Copy again.`);
      counts[table] = of;
    }
  });
  for (const [table] of wanted) {
    if (table !== 'meta' && (await target.count(table)) !== counts[table]) {
      throw new CountersignError('conflict', `${table}: not all rows were copied. Run the copy again.`);
    }
  }
  return counts;
}

/** Verifies all chains and returns the number of records. */
async function verify(place: StorePlace, what: string): Promise<number> {
  const store = await open(place);
  try {
    let records = 0;
    const worlds = await store.read((reader) => reader.worlds());
    for (const id of [...worlds.map((world) => world.id), SERVER_LOG]) {
      const verdict = await store.verifyAudit(id);
      if (!verdict.ok) {
        throw new CountersignError(
          'conflict',
          `${what}: the audit log of ${id} is broken at ${verdict.at}: ${verdict.detail}`,
        );
      }
      records += verdict.records;
    }
    return records;
  } finally {
    await store.close();
  }
}

async function open(place: StorePlace): Promise<Store> {
  if (place.kind === 'sqlite') return await openSqlite(place.file);
  const { url, schema, headFile } = place;
  return await openPostgres(url, {
    ...(schema === undefined ? {} : { schema }),
    ...(headFile === undefined ? {} : { headFile }),
  });
}
