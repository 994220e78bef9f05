import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { newMark } from './step-log.js';

/** The key that stores the last commit's mark and the log's end before that commit. Not copied with a store, because the copy gets its own log. */
export const MARK_KEY = 'step-log';

export const SET_MARK = `insert into meta (key, value) values ('${MARK_KEY}', ?)
  on conflict (key) do update set value = excluded.value`;

/** Undefined if no log can belong to these tables. */
export function readMark(db: DatabaseSyncInstance): string | undefined {
  const row = db.prepare(`select value from meta where key = '${MARK_KEY}'`).get() as { value: string } | undefined;
  return row?.value;
}

/** The mark of the last commit, which starts a new log. Creates one if missing. */
export function markOf(db: DatabaseSyncInstance): string {
  const known = readMark(db);
  if (known !== undefined) return known;
  const mark = newMark();
  db.prepare(SET_MARK).run(mark);
  return mark;
}
