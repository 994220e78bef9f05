import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { lockSlot } from '../files/lock-folder.js';
import { isInside } from '../files/is-inside.js';
import type { DiskMoment } from '../files/disk-clock.js';

/** A removed file has no change time, so removals by drafts are recorded. Entries older than this are dropped. */
const KEPT_NS = 24n * 3_600n * 1_000_000_000n;
const MAX_ENTRIES = 10_000;

const moment = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => BigInt(text));
const schema = z.object({
  /** Entries before this time were dropped. */
  forgotten: moment,
  /** The time, the working folder, and the path in it. */
  removed: z.array(z.tuple([moment, z.string(), z.string()])),
});
type Removed = z.infer<typeof schema>;

const NOTHING: Removed = { forgotten: 0n, removed: [] };

/**
 * Paths that other drafts have removed from a working folder since a given moment. Only the holder of the folder's lock may read or write this.
 */
export async function readRemoved(
  folder: string,
  workingDirectory: string,
  since: DiskMoment,
): Promise<(path: string) => boolean> {
  const { forgotten, removed } = await read(folder, workingDirectory, since);
  // The command started before our oldest record, so any path may have been removed.
  if (forgotten >= since.ns) return () => true;
  const paths = removed.filter(([at, where]) => where === workingDirectory && at >= since.ns).map(([, , path]) => path);
  return (path) => paths.some((gone) => isInside(gone, path));
}

export async function writeRemoved(
  folder: string,
  workingDirectory: string,
  now: DiskMoment,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const known = await read(folder, workingDirectory, now);
  const more = paths.map((path): Removed['removed'][number] => [now.ns, workingDirectory, path]);
  const fresh = [...known.removed, ...more].filter(([at]) => at >= now.ns - KEPT_NS);
  const kept = fresh.slice(-MAX_ENTRIES);
  const dropped = fresh.slice(0, fresh.length - kept.length).map(([at]) => at);
  const oldest = now.ns - KEPT_NS;
  const forgotten = [known.forgotten, oldest, ...dropped].reduce((a, b) => (a > b ? a : b));
  const file = fileFor(folder, workingDirectory);
  const text = JSON.stringify({ forgotten, removed: kept }, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function read(folder: string, workingDirectory: string, now: DiskMoment): Promise<Removed> {
  const text = await readFile(fileFor(folder, workingDirectory), 'utf8').catch(() => undefined);
  if (text === undefined) return NOTHING;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return { forgotten: now.ns, removed: [] };
  }
}

function fileFor(folder: string, workingDirectory: string): string {
  return join(folder, `removed-${lockSlot(workingDirectory)}.json`);
}
