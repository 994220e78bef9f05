import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import type { Value } from '../queries/prepared.js';
import { fromPostgres } from '../postgres/errors.js';
import { openPostgres } from '../postgres/open.js';
import { OWN_META, PAGE_ROWS, type RawStore } from './raw-store.js';

/** Longer than the time after which a silent process is considered dead. */
const LIVELY_MS = 10_000;

/** Opens a schema as raw rows, creating it if missing. Throws if servers are using it: the copy would miss their writes. */
export async function openRawPostgres(url: string, schema = 'countersign'): Promise<RawStore> {
  await (await openPostgres(url, { schema })).close();
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client({ connectionString: url, types, options: `-c search_path=${schema}` });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await refuseIfLively();
  } catch (cause) {
    await client.end();
    throw fromPostgres(cause);
  }

  async function refuseIfLively(): Promise<void> {
    const lively = await client.query(
      `select 1 from processes where beat_at > extract(epoch from clock_timestamp()) * 1000 - $1 limit 1`,
      [LIVELY_MS],
    );
    if (lively.rows.length > 0) {
      throw new CountersignError('store-locked', 'A server is using this PostgreSQL database. Stop it and try again.');
    }
  }

  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

  return {
    async tables() {
      const { rows } = await client.query<{ table: string; column: string }>(
        `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
         join information_schema.tables t using (table_schema, table_name)
         where c.table_schema = $1 and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
         order by c.table_name, c.ordinal_position`,
        [schema],
      );
      const tables = new Map<string, string[]>();
      for (const { table, column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
      return tables;
    },
    async count(table) {
      const { rows } = await client.query<{ n: number }>(`select count(*) as n from "${table}"`);
      return rows[0]?.n ?? 0;
    },
    async *pages(table, columns) {
      await client.query(`begin isolation level repeatable read read only`);
      try {
        await client.query(`declare page cursor for select ${quoted(columns)} from "${table}" order by 1, 2`);
        for (;;) {
          const { rows } = await client.query<Value[]>({ text: `fetch ${PAGE_ROWS} from page`, rowMode: 'array' });
          if (rows.length === 0) return;
          yield rows;
        }
      } finally {
        await client.query('rollback');
      }
    },
    async write(work) {
      await client.query('begin');
      try {
        const result = await work({
          async insert(table, columns, rows) {
            const marks = rows.map(
              (row, at) => `(${row.map((_, index) => `$${at * columns.length + index + 1}`).join(', ')})`,
            );
            await client.query(
              `insert into "${table}" (${quoted(columns)}) overriding system value values ${marks.join(', ')}`,
              rows.flat(),
            );
          },
          async emptyMeta() {
            await client.query(`delete from meta where key not in ('${OWN_META.join("', '")}')`);
          },
        });
        await moveSequences();
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
    },
    close: () => client.end(),
  };

  /** Advances the sequences past the copied rows. */
  async function moveSequences(): Promise<void> {
    const { rows } = await client.query<{ table: string; column: string }>(
      `select table_name as "table", column_name as "column" from information_schema.columns
       where table_schema = $1 and is_identity = 'YES'`,
      [schema],
    );
    for (const { table, column } of rows) {
      await client.query(
        `select setval(pg_get_serial_sequence('"${table}"', '${column}'), coalesce(max("${column}"), 0) + 1, false) from "${table}"`,
      );
    }
  }
}
