import pg from 'pg';

/** Describes a stuck turn from the outside. */
export async function unfinished(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const turns = await client.query(
      `select t.id, t.state, t.epoch, t.owner, t.interruptions, p.beat_at,
         (select json_agg(json_build_array(i.id, i.status, i.started_epoch)) from countersign.invocations i
          where i.turn_id = t.id) as calls
       from countersign.turns t left join countersign.processes p on p.id = t.owner where t.state <> 'ended'`,
    );
    const jobs = await client.query(
      `select payload, key, attempts, last_error, locked_at, locked_by, run_at from countersign_jobs._private_jobs`,
    );
    const { rows: alive } = await client.query(`select * from countersign.processes`);
    return JSON.stringify({ turns: turns.rows, jobs: jobs.rows, alive, now: Date.now() }, undefined, 1);
  } finally {
    await client.end();
  }
}
