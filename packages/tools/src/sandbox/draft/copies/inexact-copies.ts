import { lstatSync, type BigIntStats } from 'node:fs';
import { keyOf } from './paths.js';

/** Thrown if a command changed a file that couldn't be copied as it is. Nothing is applied. */
export class InexactCopy extends Error {
  override readonly name = 'InexactCopy';

  constructor(path: Buffer) {
    super(
      `the command changed or moved ${JSON.stringify(path.toString())}, which belongs to another user, can't be read, or is a socket or a pipe. In a copy of the folder, such a file can only be removed`,
    );
  }
}

/**
 * Copies that differ from the original: other users' files, and empty ones in place of sockets, pipes and files that can't be read. Applying one
 * would change or lose the original.
 */
export interface InexactCopies {
  add(copy: { readonly to: Buffer; readonly path: Buffer }): void;
  /** Whether an entry is one of them, and at which path it was. */
  find(stats: BigIntStats): string | undefined;
  isEmpty(): boolean;
}

/** `clock` is a file on the same disk that was changed some time after it was created. */
export function inexactCopies(clock: string): InexactCopies {
  const known = new Map<string, string>();
  const { birthtimeNs, ctimeNs } = lstatSync(clock, { bigint: true });
  // A new file may get the inode of a removed one. Without creation times, Node returns zero or the change time.
  const hasBirths = birthtimeNs !== 0n && birthtimeNs < ctimeNs;
  const idOf = (stats: BigIntStats): string => `${stats.ino} ${hasBirths ? stats.birthtimeNs : ''}`;
  return {
    add: ({ to, path }) => void known.set(idOf(lstatSync(to, { bigint: true })), keyOf(path)),
    find: (stats) => known.get(idOf(stats)),
    isEmpty: () => known.size === 0,
  };
}
