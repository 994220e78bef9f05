import type { Fact } from '@countersign/core/ports';
import { rowsOf, type Cells, type RowWrite, type Table } from './rows.js';

/** Rows to write, each once however often a step has changed it, by table and id. */
export interface Batch {
  inserts: Map<Table, Map<string, Cells>>;
  changes: Map<Table, Map<string, Cells>>;
}

/** Facts about more than single rows. */
export type WideFact = Extract<
  Fact,
  { kind: 'outcome-accepted' | 'chat-deleted' | 'policy-changed' | 'agent-added' | 'agent-removed' | 'world-deleted' }
>;

export type Operation = { rows: Batch } | { fact: WideFact };

/** What a step's facts come to, in the order in which it has to be written. */
export function plan(facts: readonly Fact[]): Operation[] {
  const operations: Operation[] = [];
  /** These lock the world's row, which other steps wait for: last. */
  const worldWide: Operation[] = [];
  let batch = emptyBatch();
  const flush = (): void => {
    if (batch.inserts.size + batch.changes.size > 0) operations.push({ rows: batch });
    batch = emptyBatch();
  };
  for (const fact of facts) {
    switch (fact.kind) {
      case 'outcome-accepted':
        // Nearly always the calls that it is about were there before the step; then it can go ahead of the rows.
        if (batch.inserts.has('invocations') || batch.changes.has('invocations')) flush();
        operations.push({ fact });
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
      case 'approval-settled':
      case 'grant-given':
      case 'grant-used':
        for (const row of rowsOf(fact)) add(batch, row);
    }
  }
  flush();
  return [...operations, ...worldWide];
}

function emptyBatch(): Batch {
  return { inserts: new Map(), changes: new Map() };
}

function add({ inserts, changes }: Batch, { table, id, isNew, cells }: RowWrite): void {
  const added = inserts.get(table);
  if (isNew) {
    // A second row of the same id is for the database to refuse.
    const key = added?.has(id) === true ? `${id} (${added.size})` : id;
    inserts.set(table, (added ?? new Map<string, Cells>()).set(key, cells));
    return;
  }
  const before = added?.get(id) ?? changes.get(table)?.get(id);
  if (before !== undefined) Object.assign(before, cells);
  else changes.set(table, (changes.get(table) ?? new Map<string, Cells>()).set(id, cells));
}
