import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that is removed when this process exits. */
function ownFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** LangGraph's own checkpointer on a file, with `synchronous = NORMAL` like all others here. */
export async function openSqliteSaver() {
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
  const saver = new SqliteSaver(await openFile(join(ownFolder(), 'checkpoints.sqlite')));
  saver.setup();
  saver.db.pragma('synchronous = NORMAL');
  return saver;
}

/** The checkpointer's native binding must match the Node version. If it doesn't, Node's own SQLite is used, which does the same work. */
async function openFile(path) {
  try {
    const { default: Database } = await import('better-sqlite3');
    return new Database(path);
  } catch {
    return await openWithNode(path);
  }
}

async function openWithNode(path) {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(path);
  return {
    exec: (sql) => db.exec(sql),
    pragma: (text) => db.exec(`pragma ${text}`),
    prepare(sql) {
      const statement = db.prepare(sql);
      // Node's SQLite rejects undefined, which the original binding treats as null.
      const bound = (values) => values.map((value) => value ?? null);
      return {
        run: (...values) => statement.run(...bound(values)),
        get: (...values) => statement.get(...bound(values)),
        all: (...values) => statement.all(...bound(values)),
      };
    },
    transaction:
      (work) =>
      (...given) => {
        db.exec('begin');
        try {
          work(...given);
          db.exec('commit');
        } catch (error) {
          db.exec('rollback');
          throw error;
        }
      },
  };
}

export async function openPostgresSaver(url) {
  const { PostgresSaver } = await import('@langchain/langgraph-checkpoint-postgres');
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  return saver;
}

export async function openLibSql() {
  const { LibSQLStore } = await import('@mastra/libsql');
  return new LibSQLStore({ id: 'bench', url: `file:${join(ownFolder(), 'mastra.sqlite')}` });
}

export async function openMastraPostgres(url) {
  const { PostgresStore } = await import('@mastra/pg');
  return new PostgresStore({ id: 'bench', connectionString: url });
}
