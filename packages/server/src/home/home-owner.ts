import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivate, writePrivate } from './private-file.js';

/** The command that starts a long-running server. */
export const SERVE = 'countersign serve';

const ownerSchema = z.object({ pid: z.number().int(), command: z.string().exactOptional() });
/** The process that uses a home folder, and its command. Only for error messages: the lock is authoritative. */
type HomeOwner = z.infer<typeof ownerSchema>;

const fileOf = (home: string): string => join(home, 'owner.json');

/** Records the owner of the home folder, for the error message that a second process gets. The returned function removes the record. */
export function noteOwner(home: string, command: string | undefined): () => void {
  const owner: HomeOwner = { pid: process.pid, ...(command === undefined ? {} : { command }) };
  try {
    writePrivate(fileOf(home), `${JSON.stringify(owner)}\n`);
  } catch {
    // The disk may be full; the error message will then not name a process.
  }
  return () => {
    try {
      rmSync(fileOf(home), { force: true });
    } catch {
      // A leftover record is harmless: it is only read while the lock is held. Release the lock anyway.
    }
  };
}

/** `"countersign chat" (pid 4711)`. */
export function describeOwner(home: string): string {
  const owner = readOwner(home);
  if (owner === undefined) return 'another process';
  return `${owner.command === undefined ? 'another process' : `"${owner.command}"`} (pid ${owner.pid})`;
}

export function readOwner(home: string): HomeOwner | undefined {
  try {
    return ownerSchema.parse(JSON.parse(readPrivate(fileOf(home)) ?? ''));
  } catch {
    return undefined;
  }
}
