import { join } from 'node:path';
import { readVersion, type Change } from './list-changes.js';
import { hashOld } from './read-content.js';

/** Files that probably moved: `to` maps each new path to the old one and its mode, and `from` contains the old ones. */
export interface Moves {
  readonly to: ReadonlyMap<string, { readonly path: string; readonly mode: number }>;
  readonly from: ReadonlySet<string>;
}

/** Guesses that a removed file moved to a new path with the same content. Reads only removed files that have the size of a new one. */
export async function guessMoves(workingDirectory: string, changes: readonly Change[]): Promise<Moves> {
  const sizes = new Map<number, { path: string; hash: string }[]>();
  for (const change of changes) {
    if (change.do !== 'put' || change.kind !== 'file' || change.was !== '' || change.bytes === 0) continue;
    sizes.set(change.bytes, [...(sizes.get(change.bytes) ?? []), change]);
  }
  const to = new Map<string, { path: string; mode: number }>();
  const from = new Set<string>();
  for (const change of changes) {
    if (change.do !== 'remove') continue;
    for (const [below, version] of change.was) {
      const { kind, mode, bytes } = readVersion(version);
      const candidates = kind === 'file' ? (sizes.get(bytes) ?? []).filter(({ path }) => !to.has(path)) : [];
      if (candidates.length === 0) continue;
      const path = join(change.path, below);
      const hash = await hashOld(workingDirectory, path, version);
      const found = candidates.find((candidate) => candidate.hash === hash);
      if (found === undefined) continue;
      to.set(found.path, { path, mode });
      from.add(path);
    }
  }
  return { to, from };
}
