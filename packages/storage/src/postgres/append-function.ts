import { hash } from 'node:crypto';
import { SERVER_LOG } from '@countersign/core/ports';
import type pg from 'pg';
import { approvals, changingIn, chats, grants, invocations, messages, turns } from '../schema.js';
import { MIGRATION_LOCK } from './migrate.js';
import { namedQuery, type Query } from './step/query.js';
import { takeLock } from './take-lock.js';
import { toStored } from '../text.js';

/** Tables whose rows are written individually. */
export const WRITTEN = { chats, messages, turns, invocations, approvals, grants } as const;
export type Table = keyof typeof WRITTEN;

function insert(table: Table): string {
  const columns = WRITTEN[table].names.join(', ');
  // A message starts at most one turn per agent, no matter how often it is written.
  const onConflict = table === 'turns' ? ' on conflict (id) do nothing' : '';
  return `if step->'new' ? '${table}' then
    insert into ${table} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${table}, step->'new'->'${table}')${onConflict};
  end if;`;
}

/** Updates only the given columns. Written so that the planner always looks up each row by key. */
function update(table: Table): string {
  const columns = changingIn(WRITTEN[table]);
  const guard = table === 'approvals' ? ` and t.status = 'pending'` : '';
  return `for nth in 0 .. jsonb_array_length(step->'changed'->'${table}') - 1 loop
    change := step->'changed'->'${table}'->nth;
    update ${table} t set (${columns.join(', ')}) = (
      select ${columns.map((column) => `r.${column}`).join(', ')} from jsonb_populate_record(t, change) r
    ) where t.id = change->>'id'${guard};
  end loop;`;
}

const TABLES = Object.keys(WRITTEN) as Table[];
const CHANGED = TABLES.filter((table) => changingIn(WRITTEN[table]).length > 0);

/** Updates first, and ended turns before others: an agent has at most one current turn per chat. */
const WRITE_ROWS = `if step ? 'changed' then
      ${CHANGED.map((table) => `if step->'changed' ? '${table}' then\n    ${update(table)}\n  end if;`).join('\n    ')}
    end if;
    if step ? 'new' then
      ${TABLES.map(insert).join('\n    ')}
    end if;`;

/**
 * A chat's version: the last transaction that wrote its row, which every step does, plus the server's start time, because transaction ids
 * are reused after lost commits (failover, restored backup).
 */
export function versionOf(transaction: string): string {
  return `${transaction}::text || '@' || extract(epoch from pg_postmaster_start_time())::text`;
}

/** Every change to people or groups writes the row of the server's audit log. Null before the first one. */
export const PEOPLE_VERSION = `(select ${versionOf('s.xmin')} from worlds s where s.id = '${SERVER_LOG}')`;

/**
 * Writes steps in one world, each completely or not at all. Locks the chats in id order, then the world. A step based on
 * outdated chats, clients, people, `rev` or clock is 'stale'; one over the approval limit is 'full'. Chains records like `link`.
 */
const BODY = `declare
  moment bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint;
  w worlds%rowtype;
  versions jsonb;
  step jsonb;
  change jsonb;
  results jsonb := '[]';
  at bigint;
  working bigint;
  previous text;
  entry text;
begin
  if cardinality(chat_ids) > 0 then
    select jsonb_object_agg(c.id, c.version) into versions from (
      select id, ${versionOf('xmin')} as version from chats where id = any (chat_ids) order by id for no key update
    ) c;
  end if;
  versions := coalesce(versions, '{}');
  select * into w from worlds where id = world for no key update;
  -- Loops over numbers: a loop over rows opens a cursor each time, which took a fifth of the total time.
  for place in 0 .. jsonb_array_length(steps) - 1 loop
    step := steps->place;
    if w.id is null and not step ? 'rev' or w.deleted_at is not null and step ? 'living' then
      raise no_data_found using message = 'there is no such world';
    end if;
    at := (step->>'at')::bigint;
    if w.id is null or (step->>'rev')::bigint <> w.rev or abs(clock - moment) > 5000
      or not versions @> coalesce(step->'chats', '{}') or step ? 'clients' and exists (
        select 1 from jsonb_each_text(step->'clients') k left join clients c on c.id = k.key
        where ${versionOf('c.xmin')} is distinct from k.value)
      or step ? 'people' and ${PEOPLE_VERSION} is distinct from step->>'people'
    then
      results := results || '"stale"';
      continue;
    end if;
    if step ? 'limit' and (step->'limit'->>'most')::bigint < (step->'limit'->>'asks')::bigint + (
      select count(*) from approvals a
      where a.status = 'pending' and a.world_id = world and a.agent_id = step->'limit'->>'agent'
        and not exists (select 1 from jsonb_array_elements(step->'changed'->'approvals') c where c->>'id' = a.id)
    ) then
      results := results || '"full"';
      continue;
    end if;
    working := 0;
    if step ? 'working' then
      select count(*) - (step->>'working')::bigint into working from turns
      where state <> 'ended' and world_id = world and state in ('open', 'queued');
    end if;
    ${WRITE_ROWS}
    if step ? 'events' then
      insert into events (world_id, id, chat_id, event, message_id, data, at)
      select world, w.event_seq + e.nth, e.cells->>0, e.cells->>1, e.cells->>2,
        case when working = 0 or e.cells->4 is null then e.cells->>3
          else jsonb_set((e.cells->>3)::jsonb, '{pendingOperations}', to_jsonb((e.cells->>4)::bigint + working))::text end,
        at
      from jsonb_array_elements(step->'events') with ordinality as e (cells, nth);
      w.event_seq := w.event_seq + jsonb_array_length(step->'events');
    end if;
    for nth in 0 .. coalesce(jsonb_array_length(step->'audit'), 0) - 1 loop
      entry := step->'audit'->>nth;
      previous := w.audit_hash;
      w.audit_seq := w.audit_seq + 1;
      w.audit_hash := encode(sha256(convert_to(previous || entry, 'UTF8')), 'hex');
      insert into audit (world_id, seq, record, previous_hash, hash)
      values (world, w.audit_seq, entry, previous, w.audit_hash);
    end loop;
    results := results || jsonb_build_array(
      jsonb_build_array(w.event_seq, w.audit_seq, w.audit_hash, working, ${versionOf('pg_current_xact_id()::xid')}));
  end loop;
  update worlds set event_seq = w.event_seq, audit_seq = w.audit_seq, audit_hash = w.audit_hash
  where id = world and (event_seq, audit_seq) <> (w.event_seq, w.audit_seq);
  return jsonb_build_object('now', floor(extract(epoch from clock_timestamp()) * 1000)::bigint, 'results', results);
end`;

const TYPES = 'text, text[], jsonb, bigint';
/** The name includes a hash of the body, so that processes running other versions keep their own function. */
const NAME = `append_steps_${hash('sha256', BODY).slice(0, 12)}`;

export type Appended =
  | 'stale'
  | 'full'
  | [lastEvent: number, auditSeq: number, auditHash: string, moreWorking: number, version: string];

/** `steps`: JSON texts. `clock`: this process's time, or null to skip the check. */
export function appendQuery(
  worldId: string,
  chats: readonly string[],
  steps: readonly string[],
  clock: number | null,
): Query {
  return namedQuery(CALL, [toStored(worldId), chats, `[${steps.join()}]`, clock]);
}

const CALL = `select ${NAME}($1, $2, $3, $4) as appended`;

export interface AppendRow {
  appended: { now: number; results: Appended[] };
}

const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Records that a process uses this function, at most once an hour. */
async function markUsed(client: pg.ClientBase | pg.Pool, schema: string): Promise<void> {
  await client.query(
    `insert into ${schema}.meta as m (key, value) values ($1, ${NOW}) on conflict (key) do update set value = excluded.value
     where m.value::bigint < ${NOW} - 3600000`,
    [NAME],
  );
}

/** Creates the function if missing. If several processes start concurrently, one creates it. */
export async function ensureAppendFunction(client: pg.ClientBase, schema: string): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    // Query the catalog: name resolution may have cached that it was missing.
    const { rows } = await client.query(
      'select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = $1 and p.proname = $2',
      [schema, NAME],
    );
    return rows.length > 0;
  };
  // Mark it before the check, so that nobody drops it in between.
  await markUsed(client, schema);
  if (await isThere()) return;
  await client.query('begin');
  try {
    await takeLock(client, MIGRATION_LOCK);
    if (!(await isThere())) {
      await client.query(`create function ${schema}.${NAME}(world text, chat_ids text[], steps jsonb, clock bigint) returns jsonb
        language plpgsql set search_path = ${schema}, pg_temp as $append$ ${BODY} $append$`);
      await client.query(`revoke execute on function ${schema}.${NAME}(${TYPES}) from public`);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Drops other versions' functions that no process has used for a day. */
export async function dropUnusedFunctions(pool: pg.Pool, schema: string): Promise<void> {
  await markUsed(pool, schema);
  await pool.query(`do $$ declare unused text; begin
    for unused in delete from ${schema}.meta where key ~ '^append_steps_[0-9a-f]+$' and value::bigint < ${NOW} - 86400000
      returning key loop
      execute format('drop function if exists ${schema}.%I(${TYPES})', unused);
    end loop; end $$`);
}
