import type { SharedStore } from '@countersign/core/ports';
import type pg from 'pg';
import { fromPostgres } from './errors.js';
import { createHintSender, hearHints, HINT_LIMIT_BYTES } from './hints.js';
import { deliverWakes } from './wake-jobs.js';

const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';
/** What is left of processes that never said goodbye. */
const FORGOTTEN_MS = 86_400_000;

/** What the processes of one store know of each other. Apart from the steps, on connections of its own: a full pool must not look like death. */
export function createSharedStore(pool: pg.Pool, settings: pg.ClientConfig, schema: string): SharedStore {
  const channel = `countersign ${schema}`;
  const table = (name: string): string => `${schema}.${name}`;
  async function rows<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await pool.query<Row>(text, values)).rows;
    } catch (cause) {
      throw fromPostgres(cause);
    }
  }

  return {
    hintLimitBytes: HINT_LIMIT_BYTES,
    async beat(owner) {
      await rows(
        `insert into ${table('processes')} (id, beat_at) values ($1, ${NOW})
         on conflict (id) do update set beat_at = excluded.beat_at`,
        [owner],
      );
    },
    async retire(owner) {
      await rows(`delete from ${table('processes')} where id = $1 or beat_at < ${NOW} - $2::bigint`, [
        owner,
        FORGOTTEN_MS,
      ]);
    },
    async isAlive(owner, silentMs) {
      const found = await rows(`select 1 from ${table('processes')} where id = $1 and beat_at >= ${NOW} - $2::bigint`, [
        owner,
        silentMs,
      ]);
      return found.length > 0;
    },
    async turnsToLookAfter(owner, silentMs) {
      // Written as in the index over unfinished turns.
      const found = await rows<{ id: string }>(
        `select t.id from ${table('turns')} t
         left join ${table('processes')} p on p.id = t.owner and p.beat_at >= ${NOW} - $2::bigint
         where t.state <> 'ended' and t.state = 'open' and (t.owner = $1 or p.id is null)`,
        [owner, silentMs],
      );
      return found.map(({ id }) => id);
    },
    deliverWakes: (handle) => deliverWakes(pool, schema, handle),
    hear: (listener, missed) => hearHints(settings, channel, listener, missed),
    hint: createHintSender(pool, channel),
  };
}
