import { CountersignError } from '@countersign/protocol';
import type pg from 'pg';

const OLDEST = 14;
/** What a process needs to begin with. It may get along with that; with less it would fail in the middle of somebody's work. */
const FIRST_CONNECTIONS = 8;

interface Seen {
  version: number;
  standby: boolean;
  encoding: string;
  /** How many connections are let in at most. */
  room: number;
  /** How many of them nobody has now, this one not counted as somebody's. */
  free: number;
}

/** Refuses in words a database that would fail later, in the middle of somebody's work. */
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
  if (found === undefined) throw new Error('PostgreSQL did not say what database this is.');
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
      'This PostgreSQL is a standby, which is read-only. Connect to the one that takes writes.',
    );
  }
  if (encoding !== 'UTF8') {
    return new CountersignError(
      'store-foreign',
      `This database keeps text as ${encoding}, which can't hold everything that people write. Create one with encoding UTF8.`,
    );
  }
  const advice = 'Raise max_connections, or the limit of this user or database.';
  if (room < connections) {
    return new CountersignError(
      'store-unavailable',
      `This PostgreSQL lets ${room} connections in, and one process needs ${connections}. ${advice}`,
    );
  }
  if (free < Math.min(connections, FIRST_CONNECTIONS)) {
    return new CountersignError(
      'store-unavailable',
      `Of the ${room} connections that this PostgreSQL lets in ${Math.max(free, 0)} are free, and one process needs ${FIRST_CONNECTIONS} to begin with. ${advice}`,
    );
  }
  return undefined;
}
