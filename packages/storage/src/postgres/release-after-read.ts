import type pg from 'pg';

/** Releases a connection after a read without waiting for the end of its transaction. */
export function releaseAfterRead(client: pg.PoolClient): void {
  client.query('commit').then(
    () => client.release(),
    () => client.release(true),
  );
}
