import { prepared, type Queries } from './prepared.js';

export function upkeepStatements(db: Queries) {
  return {
    meta: prepared<{ key: string }, [value: string]>((p) =>
      db.selectFrom('meta').select('value').where('key', '=', p('key')),
    ),
    // The first to write it wins, on however many processes.
    insertMeta: prepared<{ key: string; value: string }>((p) =>
      db
        .insertInto('meta')
        .values({ key: p('key'), value: p('value') })
        .onConflict((conflict) => conflict.column('key').doNothing()),
    ),
  };
}
