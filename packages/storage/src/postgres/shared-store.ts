import type { SharedStore, Workload } from '@countersign/core/ports';
import type pg from 'pg';
import { fromPostgres } from './errors.js';
import { createHintSender, listenForHints } from './hints.js';
import { createHintSeal, HINT_LIMIT_BYTES } from './seal-hints.js';
import { scheduleTidyUp } from './tidy-up.js';
import { deliverWakes } from './wake-jobs.js';

const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Coordinates the processes that share a store, over separate connections: a busy pool must not make a process look dead. */
export function createSharedStore(
  pool: pg.Pool,
  pulse: pg.Pool,
  settings: pg.ClientConfig,
  schema: string,
  hintKey: Uint8Array,
): SharedStore {
  const channel = `countersign ${schema}`;
  const hintSeal = createHintSeal(hintKey, Date.now);
  const table = (name: string): string => `${schema}.${name}`;
  async function rows<Row extends object>(text: string, values: unknown[], over = pool): Promise<Row[]> {
    try {
      return (await over.query<Row>(text, values)).rows;
    } catch (cause) {
      throw fromPostgres(cause);
    }
  }

  return {
    hintLimitBytes: HINT_LIMIT_BYTES,
    async beat(owner, silentMs) {
      const [found] = await rows<{ others: boolean }>(
        `insert into ${table('processes')} (id, beat_at) values ($1, ${NOW})
         on conflict (id) do update set beat_at = excluded.beat_at
         returning exists (select 1 from ${table('processes')} where id <> $1 and beat_at >= ${NOW} - $2::bigint) as others`,
        [owner, silentMs],
        pulse,
      );
      return found?.others ?? true;
    },
    async retire(owner) {
      await rows(`delete from ${table('processes')} where id = $1`, [owner]);
    },
    async isAlive(owner, silentMs) {
      const found = await rows(`select 1 from ${table('processes')} where id = $1 and beat_at >= ${NOW} - $2::bigint`, [
        owner,
        silentMs,
      ]);
      return found.length > 0;
    },
    async living(silentMs) {
      const found = await rows<{ id: string }>(
        `select id from ${table('processes')} where beat_at >= ${NOW} - $1::bigint`,
        [silentMs],
      );
      return found.map(({ id }) => id);
    },
    async turnsToCheck(owner, silentMs) {
      // Must match the condition of the partial index on unfinished turns.
      const found = await rows<{ id: string; own: boolean }>(
        `select t.id, coalesce(t.owner = $1, false) as own from ${table('turns')} t
         left join ${table('processes')} p on p.id = t.owner and p.beat_at >= ${NOW} - $2::bigint
         where t.state <> 'ended' and t.state = 'open' and (t.owner = $1 or p.id is null)`,
        [owner, silentMs],
        pulse,
      );
      const idsOf = (own: boolean): string[] => found.filter((turn) => turn.own === own).map(({ id }) => id);
      return { own: idsOf(true), orphaned: idsOf(false) };
    },
    async workload(silentMs) {
      const [found] = await rows<Workload>(
        `select count(*) filter (where p.id is null)::int as queued,
           coalesce(max(${NOW} - t.created_at) filter (where p.id is null), 0) as "oldestMs",
           count(p.id)::int as running
         from ${table('turns')} t
         left join ${table('processes')} p on p.id = t.owner and p.beat_at >= ${NOW} - $1::bigint
         where t.state <> 'ended' and t.state = 'open'`,
        [silentMs],
      );
      return found ?? { queued: 0, oldestMs: 0, running: 0 };
    },
    async deliverWakes(handle) {
      const stop = await deliverWakes(pool, schema, handle);
      const leave = scheduleTidyUp(pool, schema);
      return async () => {
        leave();
        await stop();
      };
    },
    hear: (listener, missed) =>
      listenForHints(
        settings,
        channel,
        (sealed) => {
          const hint = hintSeal.open(sealed);
          if (hint !== undefined) listener(hint);
        },
        missed,
      ),
    hint: createHintSender(pool, channel, hintSeal),
  };
}
