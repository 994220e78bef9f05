import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { newMark } from './step-log.js';

/** Where a file keeps the mark of its last commit, and where the log ended before that. A copy of it has a log of its own. */
export const MARK_KEY = 'step-log';

export const SET_MARK = `insert into meta (key, value) values ('${MARK_KEY}', ?)
  on conflict (key) do update set value = excluded.value`;

/** Undefined: no log can belong to these tables. */
export function readMark(db: DatabaseSyncInstance): string | undefined {
  const row = db.prepare(`select value from meta where key = '${MARK_KEY}'`).get() as { value: string } | undefined;
  return row?.value;
}

/** The mark of the last commit, which a new log begins with. A store without one gets it now. */
export function markOf(db: DatabaseSyncInstance): string {
  const known = readMark(db);
  if (known !== undefined) return known;
  const mark = newMark();
  db.prepare(SET_MARK).run(mark);
  return mark;
}
