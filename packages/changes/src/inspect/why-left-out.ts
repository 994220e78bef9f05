import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isOwnFile } from '@countersign/core/ports';
import {
  commandsIn,
  isGitFolder,
  isGitSetting,
  isHead,
  isRepositoryPart,
  leadsToEntry,
  runsByItself,
  type FolderKind,
} from '../runs-later/runs-later.js';
import type { LayerEntry, LayerReader } from '../plan/layer-entries.js';
import type { LeftOut } from './left-out.js';
import { whyHidden, whyNew } from './new-files.js';

/** `tree`: the user's files. `repository`: the top of a `.git`. `inside`: deeper in it, where Git runs nothing. */
type Where = 'tree' | 'repository' | 'inside';

export interface Folder {
  /** Path in the draft. */
  readonly upper: string;
  /** The same path in the working folder; undefined if it is new. */
  readonly real: string | undefined;
  /** Relative to the working folder; empty for the folder itself. */
  readonly name: string;
  readonly where: Where;
  /** Whether the entry is a repository's own folder, whatever its name, or inside one. */
  readonly isGits: boolean;
  /** The top of its repository, relative to the working folder; empty for the folder itself. */
  readonly top: string;
}

/** The rules that apply to a draft. Paths are absolute. */
export interface LayerRules {
  readonly isProtected?: (path: string) => boolean;
  /**
   * Set if nobody approved the command: whether a rule lets it create a dot-file, a file in a dot-folder or an
   * executable here.
   */
  readonly mayCreate?: ((path: string) => boolean) | undefined;
  /** Set if no file of Git is applied, at any depth. */
  readonly withoutGit?: true;
}

export interface Inspection extends LayerRules {
  readonly reader: LayerReader;
  readonly workingDirectory: string;
  /** Relative to the working folder. */
  readonly named: ReadonlySet<string>;
  readonly onTheWay: ReadonlySet<string>;
  readonly inDotFolders: readonly string[];
  /** Whether Git could report which files its configuration names. */
  readonly known: boolean;
  readonly leftOut: LeftOut[];
}

export function whyFixed(path: string, entry: LayerEntry, now: Inspection): LeftOut['why'] | undefined {
  const absolute = join(now.workingDirectory, path);
  if (isOwnFile(absolute)) return 'ours';
  if (now.withoutGit === true && isGitFolder(basename(path))) return 'git';
  if (now.isProtected?.(absolute) === true) return 'rule';
  if (now.named.has(path)) return 'runs-later';
  // A symlink in place of a parent folder would point to an entry of the same name elsewhere.
  return entry.kind !== 'folder' && now.onTheWay.has(path) ? 'runs-later' : undefined;
}

/** Why a file is applied only if a rule names it, or undefined. */
export function needsRule(
  folder: Folder,
  entry: LayerEntry,
  name: string,
  now: Inspection,
): LeftOut['why'] | undefined {
  if (folder.where !== 'tree' || (entry.kind !== 'file' && entry.kind !== 'link')) return undefined;
  if (now.known && now.mayCreate === undefined) return undefined;
  const drafted = lstatSync(join(folder.upper, name));
  // A hook has to be executable.
  if (!now.known && entry.kind === 'file' && (drafted.mode & 0o111) !== 0) return 'git-unknown';
  if (now.mayCreate === undefined) return undefined;
  const path = join(folder.name, name);
  const there = folder.real === undefined ? undefined : whatIsThere(join(folder.real, name), join(folder.upper, name));
  const why = whyNew(whyHidden(path, now.inDotFolders), drafted, there);
  return why === undefined || now.mayCreate(join(now.workingDirectory, path)) ? undefined : why;
}

/** A symlink with a new target gives access to other files, so it is treated as new. */
function whatIsThere(real: string, drafted: string): Stats | undefined {
  const stats = lstatSync(real, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true || !lstatSync(drafted).isSymbolicLink()) return stats;
  return readlinkSync(real, 'buffer').equals(readlinkSync(drafted, 'buffer')) ? stats : undefined;
}

/** Judges an entry by its name, type and location. */
export async function whyNot(
  folder: Folder,
  entry: LayerEntry,
  name: string,
  there: FolderKind,
  { known }: Inspection,
): Promise<LeftOut['why'] | undefined> {
  const { upper, where, real, top, isGits } = folder;
  if (entry.kind === 'other') return 'no-file';
  // Git follows symlinks when it writes logs and messages, for example into a shell's startup file.
  if (isGits && entry.kind === 'link') return 'link';
  const path = join(folder.name, name);
  const commands = commandsIn(path);
  if (commands !== undefined && (await mayRun(join(upper, name), entry, commands))) return 'runs-later';
  if (where === 'inside') return undefined;
  if (where === 'repository') return isGitSetting(name) ? 'runs-later' : undefined;
  const paths = top === '' ? [path] : [path, path.slice(top.length + 1)];
  if (paths.some((one) => runsByItself(one) || (entry.kind === 'link' && leadsToEntry(one)))) return 'runs-later';
  if (isHead(name) ? entry.kind !== 'folder' : isRepositoryPart(name, there)) return 'repository';
  if (!known && there.isRepository) return 'git-unknown';
  if (!isGitFolder(name)) return undefined;
  const stays = entry.kind === 'folder' && real !== undefined && (await isFolder(join(real, name)));
  if (!stays) return 'repository';
  return known ? undefined : 'git-unknown';
}

const LONGEST_LIST = 1024 * 1024;

/** A file that can't be read may contain anything. A removed file runs nothing. */
async function mayRun(path: string, entry: LayerEntry, commands: RegExp): Promise<boolean> {
  if (entry.kind === 'removal') return false;
  if (entry.kind !== 'file' || (await lstat(path)).size > LONGEST_LIST) return true;
  const text = await readFile(path, 'latin1').catch(() => undefined);
  return text === undefined || commands.test(text);
}

export async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}
