import { CountersignError } from '@countersign/protocol';

/** Converts SQLite errors that a person can act on. Anything else is a bug and stays unchanged. */
export function fromSqlite(cause: unknown, file: string): Error {
  switch (primaryCode(cause) ?? 0) {
    case 5:
    case 6:
      return new CountersignError('store-locked', `${file} is in use by another process. Close it and try again.`, {
        cause,
      });
    case 8:
      if (fullCode(cause) === MOVED) {
        const detail = `${file} was moved or deleted while it was open. Later changes are lost.`;
        return new CountersignError('store-unavailable', detail, { cause });
      }
      return new CountersignError(
        'store-readonly',
        `${file} can't be written. Make the file and its folder writable.`,
        {
          cause,
        },
      );
    case 10:
      return new CountersignError(
        'store-unavailable',
        `${file} can't be read or written: the disk reports an error. Check the disk.`,
        {
          cause,
        },
      );
    case 11:
    case 26:
      return new CountersignError('store-unavailable', `${file} is damaged. Restore it from a backup.`, { cause });
    case 14:
      return new CountersignError(
        'store-unavailable',
        `${file} can't be opened. Check its permissions, and those of the files next to it that start with the same name.`,
        { cause },
      );
    case 13:
      return new CountersignError(
        'store-unavailable',
        `The disk is full: ${file} can't be written. Free some space and try again.`,
        {
          cause,
        },
      );
    case 19:
      return isUnique(cause)
        ? new CountersignError('conflict', 'Someone else saved the same item at the same time. Try again.', { cause })
        : asError(cause);
    default:
      return asError(cause);
  }
}

/** SQLite's primary result code, or undefined for other errors. */
export function primaryCode(cause: unknown): number | undefined {
  const code = fullCode(cause);
  return code === undefined ? undefined : code & 0xff;
}

/** SQLITE_READONLY_DBMOVED. */
const MOVED = 1032;

function fullCode(cause: unknown): number | undefined {
  return cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode : undefined;
}

function isUnique(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith('UNIQUE');
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
