import type { RowChange } from '@countersign/core/ports';
import type { Table } from '../append-function.js';
import { rowsOf, type Cells, type RowWrite } from './rows.js';

/** Rows to write by table, each once, in the format of the append function. */
export interface Rows {
  new: Partial<Record<Table, readonly Cells[]>>;
  changed: Partial<Record<Table, readonly Cells[]>>;
}

/** Rows under construction, by table and id. */
interface Batch {
  inserts: Map<Table, Map<string, Cells>>;
  changes: Map<Table, Map<string, Cells>>;
}

/** Changes that affect more than single rows. */
export type BulkChange = Extract<
  RowChange,
  { kind: 'outcome-accepted' | 'chat-deleted' | 'policy-changed' | 'agent-added' | 'agent-removed' | 'world-deleted' }
>;

export type Operation = { rows: Rows } | { fact: BulkChange };

/** The operations for a step's changes, in write order. */
export function plan(facts: readonly RowChange[]): Operation[] {
  const operations: Operation[] = [];
  /** Written first: these lock an agent and then the world, and row writes need both locks too. */
  const worldWide: Operation[] = [];
  let batch = emptyBatch();
  const flush = (): void => {
    if (batch.inserts.size + batch.changes.size > 0) operations.push({ rows: toRows(batch) });
    batch = emptyBatch();
  };
  for (const fact of facts) {
    switch (fact.kind) {
      case 'outcome-accepted':
        // Usually the calls existed before the step, so this change can precede the row writes.
        if (batch.inserts.has('invocations') || batch.changes.has('invocations')) flush();
        operations.push({ fact });
        for (const row of rowsOf(fact)) add(batch, row);
        break;
      case 'chat-deleted':
      case 'world-deleted':
        flush();
        operations.push({ fact });
        break;
      case 'policy-changed':
      case 'agent-added':
      case 'agent-removed':
        worldWide.push({ fact });
        break;
      case 'chat-created':
      case 'chat-changed':
      case 'message-written':
      case 'turn-queued':
      case 'turn-changed':
      case 'call-proposed':
      case 'call-changed':
      case 'approval-requested':
      case 'approval-signed':
      case 'approval-settled':
      case 'grant-given':
      case 'grant-used':
        for (const row of rowsOf(fact)) add(batch, row);
    }
  }
  flush();
  return [...worldWide, ...operations];
}

function emptyBatch(): Batch {
  return { inserts: new Map(), changes: new Map() };
}

function add({ inserts, changes }: Batch, { table, id, isNew, cells }: RowWrite): void {
  const added = inserts.get(table);
  if (isNew) {
    // Let the database reject a second row with the same id.
    const key = added?.has(id) === true ? `${id} (${added.size})` : id;
    inserts.set(table, (added ?? new Map<string, Cells>()).set(key, cells));
    return;
  }
  const before = added?.get(id) ?? changes.get(table)?.get(id);
  if (before !== undefined) Object.assign(before, cells);
  else changes.set(table, (changes.get(table) ?? new Map<string, Cells>()).set(id, cells));
}

function toRows({ inserts, changes }: Batch): Rows {
  const rows: Rows = { new: {}, changed: {} };
  for (const [table, added] of inserts) rows.new[table] = [...added.values()];
  for (const [table, changed] of changes) rows.changed[table] = [...changed.values()];
  // Write the ended turn first: an agent has at most one current turn per chat.
  if (rows.changed.turns !== undefined && rows.changed.turns.length > 1) {
    rows.changed.turns = rows.changed.turns.toSorted((one, other) => Number(leaves(other)) - Number(leaves(one)));
  }
  return rows;
}

function leaves({ state }: Cells): boolean {
  return state === 'ended' || state === 'queued';
}
