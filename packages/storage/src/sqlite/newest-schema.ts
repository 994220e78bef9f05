import { DatabaseSync } from '@photostructure/sqlite';
import { migrations } from '../migrations/index.js';

export const ddl = {
  integer: 'integer',
  ordinal: 'integer primary key',
  plain: 'strict',
  clustered: 'strict, without rowid',
  json: { object: 'json_object', array: 'json_array' },
  searchWords: [
    // We split words ourselves, in the same way for every database; `ascii` leaves them unchanged. Positions are not stored.
    `create virtual table search_words using fts5
      (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
  ],
};

let newest: readonly string[] | undefined;

/** DDL of the newest schema. Running all migrations for each new store took twice as long, so they run once per process, in memory. */
export function newestSchema(): readonly string[] {
  return (newest ??= readSchema());
}

function readSchema(): readonly string[] {
  const db = new DatabaseSync(':memory:');
  try {
    for (const migration of migrations) for (const statement of migration(ddl)) db.exec(statement);
    // The search index creates its own tables.
    const rows = db
      .prepare(`select sql from sqlite_schema where sql is not null and name not glob 'search_words_*' order by rowid`)
      .all() as { sql: string }[];
    return rows.map(({ sql }) => sql);
  } finally {
    db.close();
  }
}
