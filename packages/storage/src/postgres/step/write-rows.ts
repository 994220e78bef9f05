import { toStored } from '../../text.js';
import { JOBS_SCHEMA } from '../wake-jobs.js';
import type { Batch } from './plan.js';
import { namedQuery, type Query } from './query.js';
import { COLUMNS, type Cells, type Table } from './rows.js';

/**
 * All rows of a batch and all wake-ups in one statement. Its text depends on which tables are written and on nothing else, so that few
 * texts are prepared.
 */
export function writeRows({ inserts, changes }: Batch, wakes: readonly string[], task: string): Query {
  const parts: string[] = [];
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const [leaving, others] = splitTurns(changes.get('turns'));
  if (leaving.length > 0) parts.push(`turns_left as (${update('turns', leaving, parameter)} returning 1)`);
  // An agent has one turn under way in a chat: the one that ends goes before the one that begins.
  const after = leaving.length > 0 ? '(select count(*) from turns_left) >= 0' : undefined;
  if (others.length > 0) parts.push(`turns_changed as (${update('turns', others, parameter, after)})`);
  for (const [table, rows] of changes) {
    if (table !== 'turns') parts.push(`${table}_changed as (${update(table, withIds(rows), parameter)})`);
  }
  for (const [table, rows] of inserts) {
    parts.push(
      `${table}_new as (${insert(table, [...rows.values()], parameter, table === 'turns' ? after : undefined)})`,
    );
  }
  const wake = wakes.length === 0 ? 'select 1' : wakeAll(parameter(wakes.map(toStored)), task);
  return namedQuery(parts.length === 0 ? wake : `with ${parts.join()} ${wake}`, values);
}

/** Those that make room for another turn, and the rest. */
function splitTurns(rows: Map<string, Cells> | undefined): [leaving: Cells[], others: Cells[]] {
  const all = rows === undefined ? [] : withIds(rows);
  const leaves = ({ state }: Cells): boolean => state === 'ended' || state === 'queued';
  return [all.filter(leaves), all.filter((row) => !leaves(row))];
}

function withIds(rows: Map<string, Cells>): Cells[] {
  return Array.from(rows, ([id, cells]) => ({ ...cells, id: toStored(id) }));
}

type Parameter = (value: unknown) => string;

function insert(table: Table, rows: Cells[], parameter: Parameter, after = 'true'): string {
  const columns = COLUMNS[table].join();
  const from = `json_populate_recordset(null::${table}, ${parameter(JSON.stringify(rows))}::json)`;
  // One message makes one turn of an agent, however often it is written.
  const again = table === 'turns' ? ' on conflict (id) do nothing' : '';
  return `insert into ${table} (${columns}) select ${columns} from ${from} where ${after}${again}`;
}

/** Only what is named changes. A single row is looked up by its key, whatever the planner thinks of lists. */
function update(table: Table, rows: Cells[], parameter: Parameter, after = 'true'): string {
  const [only] = rows;
  const from =
    rows.length === 1
      ? `(select ${parameter(JSON.stringify(only))}::jsonb)`
      : `jsonb_array_elements(${parameter(JSON.stringify(rows))}::jsonb)`;
  const set = Object.entries(CHANGING[table]).map(
    ([column, type]) =>
      `${column} = case when c.change ? '${column}' then (c.change->>'${column}')::${type} else r.${column} end`,
  );
  const guard = table === 'approvals' ? ` and r.status = 'pending'` : '';
  return `update ${table} r set ${set.join()} from ${from} c (change) where r.id = c.change->>'id'${guard} and ${after}`;
}

/** Under the turn's own key, so that wake-ups of one turn fold into one. */
function wakeAll(turnIds: string, task: string): string {
  return `select 1 from unnest(${turnIds}::text[]) as w (turn),
    ${JOBS_SCHEMA}.add_job('${task}', json_build_object('turnId', w.turn), job_key => w.turn)`;
}

const text = 'text';
const number = 'bigint';

/** What can change of a row once it is there. */
const CHANGING: Record<Table, Readonly<Record<string, string>>> = {
  chats: { title: text, titled: number, status: text, last_seq: number, human_seq: number },
  messages: {},
  turns: {
    state: text,
    outcome: text,
    iteration: number,
    epoch: number,
    rev: number,
    owner: text,
    interruptions: number,
    begun_seq: number,
    input_tokens: number,
    output_tokens: number,
    ended_at: number,
  },
  invocations: {
    arguments: text,
    edited: number,
    call_hash: text,
    status: text,
    approval_id: text,
    started_epoch: number,
    result: text,
    outcome_unknown: number,
    started_at: number,
    settled_at: number,
  },
  approvals: {
    status: text,
    decision: text,
    scope: text,
    reason: text,
    decision_digest: text,
    decided_by: text,
    decided_at: number,
  },
  grants: { last_used_at: number },
};
