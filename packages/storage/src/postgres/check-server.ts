import { CountersignError } from '@countersign/protocol';
import type pg from 'pg';

const OLDEST = 14;
/** The number of connections needed to start. With fewer, the process would fail later, in the middle of its work. */
const FIRST_CONNECTIONS = 8;

interface Seen {
  version: number;
  standby: boolean;
  encoding: string;
  /** The server's connection limit. */
  room: number;
  /** Free connections, including this one. */
  free: number;
}

/** Rejects a database that would cause failures later, in the middle of work. */
export async function checkServer(client: pg.ClientBase, connections: number): Promise<void> {
  const { rows } = await client.query<Seen>(
    `select current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby,
       pg_encoding_to_char(d.encoding) as encoding,
       least(l.most, nullif(d.datconnlimit, -1), nullif(r.rolconnlimit, -1)) as room,
       1 + least(
         l.most - (select count(*) from pg_stat_activity where backend_type = 'client backend'),
         nullif(d.datconnlimit, -1) - (select count(*) from pg_stat_activity where datid = d.oid),
         nullif(r.rolconnlimit, -1) - (select count(*) from pg_stat_activity where usesysid = r.oid)
       )::int as free
     from pg_database d, pg_roles r,
       (select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most) l
     where d.datname = current_database() and r.rolname = current_user`,
  );
  const found = rows[0];
  if (found === undefined) throw new Error('PostgreSQL returned no server information.');
  const refusal = refuse(found, connections);
  if (refusal !== undefined) throw refusal;
}

function refuse({ version, standby, encoding, room, free }: Seen, connections: number): CountersignError | undefined {
  if (version < OLDEST * 10_000) {
    return new CountersignError(
      'store-foreign',
      `This is PostgreSQL ${Math.floor(version / 10_000)}, which is too old. Use version ${OLDEST} or newer.`,
    );
  }
  if (standby) {
    return new CountersignError(
      'store-readonly',
      'This PostgreSQL server is a standby, which is read-only. Connect to the primary.',
    );
  }
  if (encoding !== 'UTF8') {
    return new CountersignError(
      'store-foreign',
      `This database uses the encoding ${encoding}, which can't store all text. Create one with encoding UTF8.`,
    );
  }
  const advice = 'Raise max_connections, or the limit of this user or database.';
  if (room < connections) {
    return new CountersignError(
      'store-unavailable',
      `This PostgreSQL server allows only ${room} connections, but one process needs ${connections}. ${advice}`,
    );
  }
  if (free < Math.min(connections, FIRST_CONNECTIONS)) {
    return new CountersignError(
      'store-unavailable',
      `Only ${Math.max(free, 0)} of the ${room} connections that this PostgreSQL server allows are free, but a process needs ${FIRST_CONNECTIONS} to start. ${advice}`,
    );
  }
  return undefined;
}
