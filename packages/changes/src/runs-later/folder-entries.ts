import { readdirSync, statfsSync, statSync, type BigIntStats } from 'node:fs';

/** Names of the folders and symlinks in a folder. */
export interface FolderEntries {
  readonly folders: readonly string[];
  readonly links: readonly string[];
}

const NONE: FolderEntries = { folders: [], links: [] };

/** Reading a smaller folder costs little more than its status. */
const FEW = 200;
const MOST_KEPT = 10_000;
/** Longer than the coarsest step of change times: a later change then has another change time. */
const SETTLED_MS = 4_000;
/** Local file systems whose kernel sets a folder's change time: ext4, XFS, Btrfs, tmpfs. Others may report what somebody has set. */
const TRUSTED_TYPES = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994]);

const kept = new Map<string, { readonly version: string; readonly entries: FolderEntries }>();

/**
 * Empty if the folder was removed in the meantime, or isn't readable by us and therefore not by the command. Reading a folder of many files takes long, so
 * what it held is kept for as long as its change time shows that nothing was added, removed or renamed in it.
 */
export function folderEntries(folder: string, now: number = Date.now()): FolderEntries {
  try {
    const before = statSync(folder, { bigint: true });
    const version = versionOf(before);
    const known = kept.get(folder);
    if (known?.version === version) return known.entries;
    kept.delete(folder);
    const all = readdirSync(folder, { withFileTypes: true });
    const entries = {
      folders: all.filter((entry) => entry.isDirectory()).map(({ name }) => name),
      links: all.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name),
    };
    const isSettled = now - Number(before.ctimeNs / 1_000_000n) > SETTLED_MS;
    if (all.length > FEW && isSettled && TRUSTED_TYPES.has(statfsSync(folder).type)) keep(folder, { version, entries });
    return entries;
  } catch {
    return NONE;
  }
}

function keep(folder: string, known: { version: string; entries: FolderEntries }): void {
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(folder, known);
}

function versionOf({ dev, ino, ctimeNs, mtimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${ctimeNs} ${mtimeNs}`;
}
