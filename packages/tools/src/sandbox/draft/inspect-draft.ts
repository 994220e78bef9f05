import { Buffer } from 'node:buffer';
import { chmodSync, lstatSync, type Dirent, type Stats } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isOwnFile } from '@countersign/core/ports';
import { isInside } from '../../files/is-inside.js';
import { isGitFolder, isGitSetting, isHead, isRepositoryPart, runsByItself } from '../runs-later.js';
import { namedInSettings } from './named-in-settings.js';
import { removeTree } from './remove-tree.js';
import type { LeftOut } from './left-out.js';

/** `tree`: people's files. `repository`: the top of a `.git`. `inside`: below that, where Git runs nothing. */
type Where = 'tree' | 'repository' | 'inside';

/** The kernel takes 4,096 bytes, with what comes before. A command that goes down step by step can go deeper. */
export const LONGEST_PATH = 3_000;

interface Folder {
  /** In the draft. */
  readonly upper: string;
  /** The same in the working folder; undefined where it is new. */
  readonly real: string | undefined;
  /** From the working folder; empty for itself. */
  readonly name: string;
  readonly where: Where;
}

/** Takes out of a draft what must not reach the working folder (A20, A21), and says what that was. Nobody writes to it any more. */
export async function inspectDraft(
  upper: string,
  workingDirectory: string,
  isKept: (path: string) => boolean = () => false,
): Promise<LeftOut[]> {
  const leftOut: LeftOut[] = [];
  if ((await readdir(upper)).length === 0) return leftOut;
  const named = await namedInSettings(workingDirectory);
  const isFixed: IsFixed = (path, isFolder) => {
    if (isOwnFile(join(workingDirectory, path))) return 'ours';
    if (isKept(join(workingDirectory, path))) return 'rule';
    if (named.includes(path)) return 'runs-later';
    // A link in place of a folder on the way would lead to another one of the same name.
    return !isFolder && named.some((one) => isInside(path, one)) ? 'runs-later' : undefined;
  };
  await inspect({ upper, real: workingDirectory, name: '', where: 'tree' }, isFixed, leftOut);
  return leftOut;
}

type IsFixed = (path: string, isFolder: boolean) => LeftOut['why'] | undefined;

async function inspect(folder: Folder, isFixed: IsFixed, leftOut: LeftOut[]): Promise<void> {
  const entries = await openEntries(folder.upper);
  const there = folder.real === undefined ? [] : await namesIn(folder.real);
  const files: string[] = [];
  for (const entry of entries) {
    const name = entry.name.toString();
    const path = join(folder.name, name);
    const nameable = Buffer.from(name).equals(entry.name) && Buffer.byteLength(path) < LONGEST_PATH;
    const why = nameable ? await whyNot(folder, entry, name, there) : 'name';
    const refused = why ?? isFixed(path, entry.isDirectory());
    if (refused !== undefined) {
      await removeTree(Buffer.concat([Buffer.from(`${folder.upper}/`), entry.name]));
      leftOut.push({ path, why: refused });
    } else if (entry.isFile()) files.push(join(folder.upper, name));
    else if (entry.isDirectory()) await inspect(await below(folder, name), isFixed, leftOut);
  }
  await dropSpecialRights(files);
}

async function whyNot(
  { upper, where, real }: Folder,
  entry: Dirent<Buffer>,
  name: string,
  there: readonly string[],
): Promise<LeftOut['why'] | undefined> {
  const stats = entry.isCharacterDevice() ? await lstat(join(upper, name)) : undefined;
  if (entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || (stats !== undefined && !isWhiteout(stats)))
    return 'no-file';
  // Git follows them when it writes its logs and messages: into a start-up file of the person's shell, say.
  if (where !== 'tree' && entry.isSymbolicLink()) return 'link';
  if (where === 'inside') return undefined;
  if (where === 'repository') return isGitSetting(name) ? 'runs-later' : undefined;
  if (runsByItself(name)) return 'runs-later';
  if (isHead(name) ? !entry.isDirectory() : isRepositoryPart(name, there)) return 'repository';
  if (!isGitFolder(name)) return undefined;
  const stays = entry.isDirectory() && real !== undefined && (await isFolder(join(real, name)));
  return stays ? undefined : 'repository';
}

async function below({ upper, real, name, where }: Folder, child: string): Promise<Folder> {
  const inReal = real === undefined ? undefined : join(real, child);
  const there = inReal !== undefined && (await isFolder(inReal)) ? inReal : undefined;
  const inside = isGitFolder(child) ? 'repository' : 'tree';
  return {
    upper: join(upper, child),
    real: there,
    name: join(name, child),
    where: where === 'tree' ? inside : 'inside',
  };
}

/** Looked at in one go: asked one by one without waiting, each would cost ten times as much. */
const AT_ONCE = 500;

/** Under root's name a program that takes its owner's rights would give them to anybody who starts it. */
async function dropSpecialRights(paths: readonly string[]): Promise<void> {
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    for (const path of paths.slice(from, from + AT_ONCE)) {
      const { mode } = lstatSync(path);
      if ((mode & 0o6000) !== 0) chmodSync(path, mode & 0o1777);
    }
    await setImmediate();
  }
}

/** A command may have closed its own folders; to us they must be open. */
async function openEntries(folder: string): Promise<Dirent<Buffer>[]> {
  const { mode } = await lstat(folder);
  if ((mode & 0o700) !== 0o700) await chmod(folder, (mode & 0o7777) | 0o700);
  return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}

/** How the kernel writes down that something is gone. */
export function isWhiteout(stats: Pick<Stats, 'isCharacterDevice' | 'rdev'>): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}
