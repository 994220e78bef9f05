import type pg from 'pg';

/** What was read is known; nobody has to wait until the server knows that, too. */
export function giveBack(client: pg.PoolClient): void {
  client.query('commit').then(
    () => client.release(),
    () => client.release(true),
  );
}
