import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { prefill } from '../bench/postgres-prefill.js';
import { query } from '../bench/postgres-query.js';
import { createPostgresDatabase } from './support/postgres-database.js';
import { isFullSize } from './support/scaled.js';
import { root } from './support/source-modules.js';

/** Our own part of the comparison at the smallest size, so that the benchmark doesn't break unnoticed. */
it.each(isFullSize ? ['ours-normal', 'ours-http', 'ours-postgres'] : ['ours-postgres'])(
  '[LIMIT1] %s can run the benchmark workload',
  async (which) => {
    const database = which === 'ours-postgres' ? await createPostgresDatabase() : undefined;
    const child = fork(`${root}bench/peers/child.mjs`, [which], {
      // Not the test runner's conditions, which resolve to sources; Node runs the build.
      execArgv: [],
      env: { ...process.env, ...(database === undefined ? {} : { BENCH_DATABASE: database }) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const answer = async (): Promise<unknown> => ((await once(child, 'message')) as [unknown])[0];
    const order = async (what: object): Promise<unknown> => {
      const next = answer();
      child.send(what);
      return await next;
    };
    expect(await answer()).toEqual({ ok: true });
    const work = { tools: 3, gated: true, history: 5, streaming: true };
    expect(await order({ do: 'prepare', work, warmUp: 2 })).toMatchObject({ ok: true });
    const ran = await order({ do: 'run', times: 3, ms: 100_000 });
    expect(ran).toMatchObject({ ok: true, times: [{}, {}, {}] });
    expect(await order({ do: 'end' })).toMatchObject({ ok: true });
    if (database === undefined) return;
    const [world] = await query<{ id: string }>(database, 'select id from worlds');
    await prefill(database, world?.id ?? '', 20, 2);
    expect(await query(database, `select from approvals where id like 'approval_old_%'`)).toHaveLength(2);
  },
);
