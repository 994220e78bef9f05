import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivate, writePrivate } from './private-file.js';

const ownerSchema = z.object({ pid: z.number().int(), command: z.string().exactOptional() });
/** The process that has a home, and what a person started it as. For people only: the lock itself decides. */
type HomeOwner = z.infer<typeof ownerSchema>;

const fileOf = (home: string): string => join(home, 'owner.json');

/** Notes who has the home, for the error that a second process gets. The returned function removes the note. */
export function noteOwner(home: string, command: string | undefined): () => void {
  const owner: HomeOwner = { pid: process.pid, ...(command === undefined ? {} : { command }) };
  try {
    writePrivate(fileOf(home), `${JSON.stringify(owner)}\n`);
  } catch {
    // A full disk: the error then names no process.
  }
  return () => {
    try {
      rmSync(fileOf(home), { force: true });
    } catch {
      // A note left behind is only read while somebody has the lock, which must be released all the same.
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
