import { resolve } from 'node:path';
import type { Value } from '../queries/prepared.js';
import { closeDatabase, openDatabase } from '../sqlite/file/open-database.js';
import { ownFile } from '../sqlite/file/own-file.js';
import { OWN_META, PAGE_ROWS, type RawStore } from './raw-store.js';

/** Opens a file as raw rows, with an exclusive lock. */
export function openRawSqlite(path: string): RawStore {
  const file = resolve(path);
  const owned = ownFile(file);
  const db = opened();

  function opened(): ReturnType<typeof openDatabase> {
    try {
      return openDatabase(file, 'FULL');
    } catch (cause) {
      owned.release();
      throw cause;
    }
  }

  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

  return {
    async tables() {
      // Skip the shadow tables of virtual tables, which are rebuilt.
      const rows = db
        .prepare(
          `select t.name as "table", c.name as "column" from pragma_table_list t join pragma_table_info(t.name) c
           where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%' order by t.name, c.cid`,
        )
        .all() as { table: string; column: string }[];
      const tables = new Map<string, string[]>();
      for (const { table, column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
      return tables;
    },
    async count(table) {
      const row = db.prepare(`select count(*) as n from "${table}"`).get() as { n: number };
      return row.n;
    },
    async *pages(table, columns) {
      let page: Value[][] = [];
      const statement = db.prepare(`select ${quoted(columns)} from "${table}" order by 1, 2`);
      statement.setReturnArrays(true);
      for (const row of statement.iterate() as Iterable<Value[]>) {
        page.push([...row]);
        if (page.length < PAGE_ROWS) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
    async write(work) {
      db.exec('begin immediate');
      try {
        const result = await work({
          async insert(table, columns, rows) {
            const marks = columns.map(() => '?').join(', ');
            const statement = db.prepare(`insert into "${table}" (${quoted(columns)}) values (${marks})`);
            for (const row of rows) statement.run(...row);
          },
          async emptyMeta() {
            db.exec(`delete from meta where key not in ('${OWN_META.join("', '")}')`);
          },
        });
        db.exec('commit');
        return result;
      } catch (error) {
        db.exec('rollback');
        throw error;
      }
    },
    async close() {
      try {
        closeDatabase(db, file);
      } finally {
        owned.release();
      }
    },
  };
}
