import { prepared } from './prepared.js';

export const upkeepStatements = {
  meta: prepared<{ key: string }, [value: string]>('select value from meta where key = :key'),
  // The first write wins, across all processes.
  insertMeta: prepared<{ key: string; value: string }>(
    'insert into meta (key, value) values (:key, :value) on conflict (key) do nothing',
  ),
  removeMeta: prepared<{ key: string }>('delete from meta where key = :key'),
};
