import { Buffer } from 'node:buffer';
import { chmodSync, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inSlices } from '../files/in-slices.js';
import { parentsOf } from '../files/parents-of.js';
import { namedInSettings } from '../runs-later/named-in-settings.js';
import { isGitFolder, kindOfFolder } from '../runs-later/runs-later.js';
import { layerReader, type LayerReader } from '../plan/layer-entries.js';
import { isNew, type LeftOut } from './left-out.js';
import { isAppliedWhole } from './new-files.js';
import { removeTree } from '../files/remove-tree.js';
import {
  isFolder,
  needsRule,
  whyFixed,
  whyNot,
  type LayerRules,
  type Folder,
  type Inspection,
} from './why-left-out.js';

/** The kernel's limit is 4,096 bytes including the prefix. A command that uses `cd` can go deeper. */
export const LONGEST_PATH = 3_000;

/** Removes changes from a draft that must not reach the working folder (CHANGE1, CHANGE4), and returns them. All writers must be dead. */
export async function inspectLayer(
  upper: string,
  workingDirectory: string,
  rules: LayerRules = {},
  asked: typeof namedInSettings = namedInSettings,
): Promise<LeftOut[]> {
  if ((await readdir(upper)).length === 0) return [];
  const reader = await layerReader(upper);
  const { paths, inDotFolders, known } = await asked(
    workingDirectory,
    await foldersIn(reader, upper, workingDirectory),
  );
  const now: Inspection = {
    ...rules,
    reader,
    workingDirectory,
    named: new Set(paths),
    onTheWay: new Set(paths.flatMap(parentsOf)),
    inDotFolders,
    known,
    leftOut: [],
  };
  await inspect({ upper, real: workingDirectory, name: '', where: 'tree', isGits: false, top: '' }, now);
  return now.leftOut;
}

async function inspect(inner: Folder, now: Inspection): Promise<void> {
  const entries = await now.reader.read(inner.upper);
  const there = inner.real === undefined ? [] : await namesIn(inner.real);
  const kind = kindOfFolder(there);
  const isGits = inner.isGits || kind.isRepository;
  const folder = { ...inner, isGits, ...(there.some(isGitFolder) ? { top: inner.name } : {}) };
  const files: string[] = [];
  for (const entry of entries) {
    const name = entry.name.toString();
    const path = join(folder.name, name);
    const nameable = Buffer.from(name).equals(entry.name) && Buffer.byteLength(path) < LONGEST_PATH;
    const why = nameable ? await whyNot(folder, entry, name, kind, now) : 'name';
    const refused = why ?? (nameable ? whyFixed(path, entry, now) : undefined) ?? needsRule(folder, entry, name, now);
    if (refused !== undefined) {
      await removeTree(Buffer.concat([Buffer.from(`${folder.upper}/`), entry.name]));
      now.leftOut.push({ path, why: refused });
    } else if (entry.kind === 'file') files.push(join(folder.upper, name));
    else if (entry.kind === 'folder') await inspectFolder(await below(folder, name), name, now);
  }
  await dropSpecialRights(files);
}

async function inspectFolder(folder: Folder, name: string, now: Inspection): Promise<void> {
  const before = now.leftOut.length;
  await inspect(folder, now);
  const fresh = now.leftOut.slice(before).filter(isNew);
  if (fresh.length === 0) return;
  if (isAppliedWhole(name)) {
    await removeTree(folder.upper);
    now.leftOut.splice(before, Infinity, { path: folder.name, why: fresh[0]?.why ?? 'new-hidden' });
  } else if (folder.real === undefined && (await holdsNoFile(folder.upper))) await removeTree(folder.upper);
}

/** Whether a folder contains only empty folders, which are useless without the files that were left out. */
async function holdsNoFile(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (!entries.every((entry) => entry.isDirectory())) return false;
  for (const { name } of entries) if (!(await holdsNoFile(join(folder, name)))) return false;
  return true;
}

/** The folders in a draft that also exist in the working folder. Changes there may be in a nested repository. */
async function foldersIn(reader: LayerReader, upper: string, real: string, found: string[] = []): Promise<string[]> {
  found.push(real);
  for (const entry of await reader.read(upper)) {
    const name = entry.name.toString();
    if (entry.kind === 'folder' && (await isFolder(join(real, name))))
      await foldersIn(reader, join(upper, name), join(real, name), found);
  }
  return found;
}

async function below({ upper, real, name, where, isGits, top }: Folder, child: string): Promise<Folder> {
  const inReal = real === undefined ? undefined : join(real, child);
  const there = inReal !== undefined && (await isFolder(inReal)) ? inReal : undefined;
  const inside = isGitFolder(child) ? 'repository' : 'tree';
  return {
    upper: join(upper, child),
    real: there,
    name: join(name, child),
    where: where === 'tree' ? inside : 'inside',
    isGits: isGits || isGitFolder(child),
    top,
  };
}

/** Removes setuid and setgid bits: a setuid program owned by root would run as root for anyone who starts it. */
async function dropSpecialRights(paths: readonly string[]): Promise<void> {
  await inSlices(paths, (path) => {
    const { mode } = lstatSync(path);
    if ((mode & 0o6000) !== 0) chmodSync(path, mode & 0o1777);
  });
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
