import type { AuditVerdict } from '@countersign/core/ports';
import { recordText } from '@countersign/protocol';
import type { audit, RowOf } from '../schema.js';
import type { UpkeepVerbs } from '../verbs/upkeep.js';
import type { AuditHead, StoredHead } from './head.js';
import { link } from './link.js';

const PAGE = 500;

type Broken = Extract<AuditVerdict, { ok: false }>;

/**
 * Verifies a world's chain against two heads: the one in the database and the one outside. The latter may lag after a crash, but must be in the
 * chain.
 */
export async function verifyChain(
  worldId: string,
  db: Pick<UpkeepVerbs, 'auditRows' | 'auditHead' | 'auditHasHash'>,
  outside: StoredHead | undefined,
): Promise<AuditVerdict> {
  const inside = await db.auditHead(worldId);
  let seq = 0;
  let hash = '';
  for (;;) {
    const rows = await db.auditRows(worldId, seq, PAGE);
    for (const row of rows) {
      const problem = await problemOf(row, { seq, hash });
      if (problem !== undefined) return problem;
      ({ seq, hash } = row);
      if (seq === outside?.seq && hash !== outside.hash) {
        return broken(seq, 'cut-off', "the chain doesn't match the head outside the database");
      }
    }
    if (rows.length < PAGE) break;
  }
  if (seq < (outside?.seq ?? 0)) {
    return broken(
      seq + 1,
      'cut-off',
      `the chain ends here, but the head outside the database is record ${outside?.seq}`,
    );
  }
  if (seq !== (inside?.seq ?? 0) || hash !== (inside?.hash ?? '')) {
    return broken(seq + 1, 'cut-off', `the chain ends here, but the database counts ${inside?.seq ?? 0} records`);
  }
  return { ok: true, records: seq, ...(outside?.unguarded === undefined ? {} : { unguarded: outside.unguarded }) };

  async function problemOf(row: RowOf<typeof audit>, before: AuditHead): Promise<Broken | undefined> {
    const expected = before.seq + 1;
    if (row.seq !== expected) return broken(expected, 'removed', `record ${expected} is missing`);
    if (linkOf(row) !== row.hash) return broken(row.seq, 'edited', `record ${row.seq} does not match its hash`);
    if (row.previousHash === before.hash) return undefined;
    if (await db.auditHasHash(worldId, row.previousHash)) {
      return broken(row.seq, 'reordered', `record ${row.seq} is not chained to the record before it`);
    }
    // No record has the expected hash: one was removed and the rest renumbered, or one was edited and rehashed.
    const isShorter = (await lastSeq(before.seq)) < Math.max(inside?.seq ?? 0, outside?.seq ?? 0);
    return isShorter
      ? broken(row.seq, 'removed', `records before ${row.seq} are missing`)
      : broken(before.seq, 'edited', `record ${before.seq} is not the one that record ${row.seq} is chained to`);
  }

  async function lastSeq(from: number): Promise<number> {
    let last = from;
    for (;;) {
      const rows = await db.auditRows(worldId, last, PAGE);
      last = rows.at(-1)?.seq ?? last;
      if (rows.length < PAGE) return last;
    }
  }
}

function linkOf({ previousHash, record }: RowOf<typeof audit>): string | undefined {
  try {
    return link(previousHash, recordText(JSON.parse(record)));
  } catch {
    // No longer JSON, so it matches no hash.
    return undefined;
  }
}

function broken(at: number, problem: Broken['problem'], detail: string): Broken {
  return { ok: false, at, problem, detail };
}
