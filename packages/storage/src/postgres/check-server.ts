import { CountersignError } from '@countersign/protocol';
import type pg from 'pg';

/** Refuses in words a database that would fail later, in the middle of somebody's work. */
export async function checkServer(client: pg.ClientBase, connections: number): Promise<void> {
  const { rows } = await client.query<{ encoding: string; room: number }>(
    `select pg_encoding_to_char(d.encoding) as encoding,
       least(
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
         nullif(d.datconnlimit, -1), nullif(r.rolconnlimit, -1)
       ) as room
     from pg_database d, pg_roles r where d.datname = current_database() and r.rolname = current_user`,
  );
  const found = rows[0];
  if (found === undefined) throw new Error('PostgreSQL did not say what database this is.');
  if (found.encoding !== 'UTF8') {
    throw new CountersignError(
      'store-foreign',
      `This database keeps text as ${found.encoding}, which can't hold everything that people write. Create one with encoding UTF8.`,
    );
  }
  if (found.room < connections) {
    throw new CountersignError(
      'store-unavailable',
      `This PostgreSQL lets ${found.room} connections in, and one process needs ${connections}. Raise max_connections, or the limit of this user or database.`,
    );
  }
}
