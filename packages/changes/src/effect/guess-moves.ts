import { join } from 'node:path';
import { readVersion, type Change } from './list-changes.js';
import { hashOld } from './read-content.js';

/** Files that probably moved: `to` maps each new path to the old one and its mode, and `from` contains the old ones. */
export interface Moves {
  readonly to: ReadonlyMap<string, { readonly path: string; readonly mode: number }>;
  readonly from: ReadonlySet<string>;
}

/** A larger file that moved is shown as removed and added. */
const MAX_FILE_BYTES = 1024 ** 2;
/** A command chooses how many files it removes, and their sizes. */
const MAX_ALL_BYTES = 64 * 1024 ** 2;

/** Guesses that a removed file moved to a new path with the same content. Reads only small removed files that have the size of a new one. */
export async function guessMoves(
  workingDirectory: string,
  changes: readonly Change[],
  signal?: AbortSignal,
): Promise<Moves> {
  let left = MAX_ALL_BYTES;
  const sizes = newFiles(changes);
  const to = new Map<string, { path: string; mode: number }>();
  const from = new Set<string>();
  for (const change of changes) {
    if (change.do !== 'remove') continue;
    for (const [below, version] of change.was) {
      const { kind, mode, bytes } = readVersion(version);
      const hashes = kind === 'file' ? sizes.get(bytes) : undefined;
      if (hashes === undefined || hashes.size === 0 || bytes > Math.min(MAX_FILE_BYTES, left)) continue;
      signal?.throwIfAborted();
      left -= bytes;
      const path = join(change.path, below);
      const hash = (await hashOld(workingDirectory, path, version)) ?? '';
      const paths = hashes.get(hash) ?? [];
      const found = paths.pop();
      if (paths.length === 0) hashes.delete(hash);
      if (found === undefined) continue;
      to.set(found, { path, mode });
      from.add(path);
    }
  }
  return { to, from };
}

/** The paths of new files by size and content, last ones first. A command chooses how many there are, so this must not be quadratic. */
function newFiles(changes: readonly Change[]): Map<number, Map<string, string[]>> {
  const sizes = new Map<number, Map<string, string[]>>();
  for (const change of changes.toReversed()) {
    if (change.do !== 'put' || change.kind !== 'file' || change.was !== '' || change.bytes === 0) continue;
    const hashes = sizes.get(change.bytes) ?? new Map<string, string[]>();
    sizes.set(change.bytes, hashes);
    const paths = hashes.get(change.hash) ?? [];
    hashes.set(change.hash, paths);
    paths.push(change.path);
  }
  return sizes;
}
