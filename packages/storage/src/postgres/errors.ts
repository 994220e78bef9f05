import { CountersignError } from '@countersign/protocol';
import pg from 'pg';

/** Converts PostgreSQL and connection errors that a person can act on. Anything else is a bug and stays unchanged. */
export function fromPostgres(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  if (cause instanceof CountersignError) return cause;
  // An SQLSTATE has five characters; the first two are its class.
  if (cause instanceof pg.DatabaseError) {
    const code = cause.code ?? '';
    if (code === '23505' && cause.table === 'providers') {
      const detail = 'name: someone else just gave a provider this name';
      return new CountersignError('conflict', detail, { field: 'name', cause });
    }
    if (code === '23505') {
      return new CountersignError('conflict', 'Someone else saved the same item at the same time. Try again.', {
        cause,
      });
    }
    if (code === '40001' || code === '40P01') {
      return new CountersignError('store-unavailable', 'Two concurrent changes conflicted. Try again.', { cause });
    }
    if (code === '53100') {
      return new CountersignError('store-unavailable', "PostgreSQL's disk is full. Free some space and try again.", {
        cause,
      });
    }
    if (code === '42501') {
      return new CountersignError(
        'store-unavailable',
        `This PostgreSQL user lacks a permission (${cause.message}). Grant it CREATE on the database, or use another user in DATABASE_URL.`,
        { cause },
      );
    }
    if (code === '53300') {
      return new CountersignError(
        'store-unavailable',
        'PostgreSQL has no free connection for this process. Raise max_connections, or stop another client.',
        { cause },
      );
    }
    if (code === '25006') {
      return new CountersignError('store-readonly', 'This PostgreSQL server is read-only. Connect to the primary.', {
        cause,
      });
    }
    return /^(08|28|3D|53|57)/.test(code) ? unavailable(cause) : cause;
  }
  return unavailable(cause);
}

function unavailable(cause: Error): CountersignError {
  return new CountersignError(
    'store-unavailable',
    `PostgreSQL can't be reached (${cause.message || 'no connection'}). Check that it is running and that DATABASE_URL is correct.`,
    { cause },
  );
}
