import { CountersignError } from '@countersign/protocol';
import pg from 'pg';

/** What PostgreSQL or the way to it says, as something a person can act on. Anything else is a mistake of ours and stays as it is. */
export function fromPostgres(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  if (cause instanceof CountersignError) return cause;
  // The server answered: five characters, of which two name the kind.
  if (cause instanceof pg.DatabaseError) {
    const code = cause.code ?? '';
    if (code === '23505') {
      return new CountersignError('conflict', `The store already holds this: ${cause.message}.`, { cause });
    }
    if (code === '40001' || code === '40P01') {
      return new CountersignError('store-unavailable', 'Two steps stood in each other’s way. Try again.', { cause });
    }
    if (code === '53100') {
      return new CountersignError(
        'store-unavailable',
        'PostgreSQL has no room left on its disk. Free some and try again.',
        {
          cause,
        },
      );
    }
    if (code === '42501') {
      return new CountersignError(
        'store-unavailable',
        `This PostgreSQL user may not do what is needed (${cause.message}). Grant it CREATE on the database, or name another user in DATABASE_URL.`,
        { cause },
      );
    }
    if (code === '53300') {
      return new CountersignError(
        'store-unavailable',
        'PostgreSQL has no connection left for this process. Raise max_connections, or stop something else.',
        { cause },
      );
    }
    if (code === '25006') {
      return new CountersignError(
        'store-readonly',
        'This PostgreSQL is read-only. Connect to the one that takes writes.',
        {
          cause,
        },
      );
    }
    return /^(08|28|3D|53|57)/.test(code) ? unavailable(cause) : cause;
  }
  return unavailable(cause);
}

function unavailable(cause: Error): CountersignError {
  return new CountersignError(
    'store-unavailable',
    `PostgreSQL can't be reached (${cause.message || 'no connection'}). Check that it runs and that DATABASE_URL is right.`,
    { cause },
  );
}
