import { chmod, chown, copyFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { existsSync, type BigIntStats } from 'node:fs';
import { Buffer } from 'node:buffer';
import { dirname, join } from 'node:path';
import type { Who } from '@countersign/protocol';
import { hashEffect } from '../effect/effect-of.js';
import { guessMoves } from '../effect/guess-moves.js';
import { listChanges, readVersion, type Change, type Put } from '../effect/list-changes.js';
import { looksBinary } from '../effect/looks-binary.js';
import { readDrafted, readOld } from '../effect/read-content.js';
import { takeBlocks } from '../effect/unified-diff.js';
import { copyTree } from '../files/copy-tree.js';
import { codeOf } from '../files/move.js';
import { find } from '../files/open-folder.js';
import { parentsOf } from '../files/parents-of.js';
import { makeRemovalMarker } from '../plan/layer-entries.js';
import type { PlannedChange } from '../plan/planned-change.js';
import { changeIn, readSealed } from '../seal/sealed-change.js';
import { RunRefused, type RunFolders } from './run-folders.js';
import { writeEnded, type KeptRun } from './run-record.js';
import { makeRunFolder } from './start-run.js';

/** A part of the change with this effect hash. A folder stands for everything in it, and blocks of a file are counted from 1, as in its diff. */
export interface Selection {
  readonly effectHash: string;
  readonly paths: readonly string[];
  readonly hunks: readonly { readonly path: string; readonly hunk: number }[];
}

/** The run that a selection becomes. */
export interface NewPart {
  readonly id: string;
  readonly startedAt: number;
  readonly by: Who;
}

/** Copies a part of what a run's card shows into a draft of its own. The run itself stays as it is. Its folder must be locked. */
export async function selectPart(
  folders: RunFolders,
  { root, record, ended, status }: KeptRun,
  wanted: Selection,
  { id, startedAt, by }: NewPart,
): Promise<KeptRun> {
  if (record.part !== undefined) throw new RunRefused(`This is a part of ${record.part.of}. Select from that run.`);
  const sealed = status?.state === 'waiting' ? await readSealed(root, wanted.effectHash) : undefined;
  if (sealed === undefined || ended === undefined) throw new RunRefused(OTHER);
  const change = changeIn(root, sealed);
  const changes = await listChanges(change);
  if (hashEffect(changes, sealed) !== wanted.effectHash) throw new RunRefused(OTHER);
  const picked = await pick(change, changes, wanted);
  const include = (sealed.needsPerson ?? []).filter((path) => changes.some((one) => one.path === path));
  const requesters = [...(status?.requests ?? []).map((request) => request.by), by];
  const { branch: _, ...same } = record;
  const { login: __, ...end } = ended;
  return await makeRunFolder(folders, { id, folder: record.folder }, async (to) => {
    await writeLayer(to, change, picked);
    const restored = join(root, 'restored.json');
    if (existsSync(restored)) await copyFile(restored, join(to, 'restored.json'));
    await writeEnded(to, end);
    return { ...same, id, startedAt, part: { of: record.id, include, requesters } };
  });
}

const OTHER = 'The change is not the one that you looked at any more. Open it again.';

/** What to write into the draft of a part. */
interface Picked {
  readonly puts: readonly Put[];
  readonly removed: readonly string[];
  readonly modes: readonly { readonly path: string; readonly mode: number }[];
  /** Files with only some of their changed lines, and the mode that they had. */
  readonly mixed: readonly { readonly path: string; readonly text: string; readonly mode: number }[];
}

async function pick(change: PlannedChange, changes: readonly Change[], wanted: Selection): Promise<Picked> {
  const all = new Set(changes.flatMap(({ path }) => [...parentsOf(path), path]));
  for (const path of [...wanted.paths, ...wanted.hunks.map((one) => one.path)])
    if (!all.has(path)) throw new RunRefused(`${path} is not part of the change.`);
  const whole = new Set(wanted.paths);
  const isWhole = (path: string): boolean => whole.has(path) || parentsOf(path).some((parent) => whole.has(parent));
  const puts = changes.filter((one) => one.do === 'put').filter(({ path }) => isWhole(path));
  const removed = changes.flatMap((one) => (one.do === 'remove' ? [one.path] : []));
  const moves = await guessMoves(change.workingDirectory, changes);
  const blocks = new Map<string, Set<number>>();
  for (const { path, hunk } of wanted.hunks)
    if (!isWhole(path)) blocks.set(path, (blocks.get(path) ?? new Set()).add(hunk));
  if (blocks.size > MOST_MIXED) throw new RunRefused(`Select blocks of lines of at most ${MOST_MIXED} files.`);
  const mixed = [];
  for (const [path, numbers] of blocks) mixed.push(await mix(change, changes, path, numbers));
  const replaced = new Set(removed);
  for (const { path } of [...puts, ...mixed]) {
    const inTheWay = parentsOf(path).find((parent) => replaced.has(parent) && !isWhole(parent));
    if (inTheWay !== undefined)
      throw new RunRefused(`${path} can't be applied alone: ${inTheWay} has to be removed for it. Select that too.`);
  }
  const put = new Set(puts.map(({ path }) => path));
  const gone = new Set([...removed.filter(isWhole), ...puts.flatMap(({ path }) => moves.to.get(path)?.path ?? [])]);
  return {
    puts,
    mixed,
    removed: [...gone].filter((path) => !put.has(path) && !parentsOf(path).some((parent) => gone.has(parent))),
    modes: changes
      .filter((one) => one.do === 'keep')
      .filter(({ path, mode, was }) => isWhole(path) && mode !== was.mode),
  };
}

/** Comparing them takes time. */
const MOST_MIXED = 100;
/** The largest file that has blocks of lines, as in the diffs that people see. */
const MOST_BYTES = 512 * 1024;

async function mix(
  { upper, workingDirectory }: PlannedChange,
  changes: readonly Change[],
  path: string,
  numbers: ReadonlySet<number>,
): Promise<Picked['mixed'][number]> {
  const put = changes.find((one) => one.do === 'put' && one.path === path);
  const old = put?.do === 'put' && put.was !== '' ? readVersion(put.was) : undefined;
  if (put?.do !== 'put' || put.kind !== 'file' || old?.kind !== 'file' || Math.max(put.bytes, old.bytes) > MOST_BYTES)
    throw new RunRefused(`${path} can only be selected as a whole.`);
  const before = await readOld(workingDirectory, path, put.was);
  if (before === undefined) throw new RunRefused(`Somebody else changed ${path} since. Ask again about the run first.`);
  const after = await readDrafted(join(upper, path));
  // Other bytes would not survive as text.
  const isText = [before, after].every((bytes) => !looksBinary(bytes) && Buffer.from(bytes.toString()).equals(bytes));
  const text = isText ? takeBlocks(before.toString(), after.toString(), numbers) : undefined;
  if (text === undefined)
    throw new RunRefused(`${path} has no such block of lines, or can only be selected as a whole.`);
  return { path, text, mode: old.mode };
}

async function writeLayer(root: string, { upper, workingDirectory }: PlannedChange, picked: Picked): Promise<void> {
  const folders = new Map<string, Pick<Put, 'mode' | 'uid' | 'gid'>>();
  const at = (path: string): string => join(root, 'upper', path);
  const finish = async (path: string, { mode, uid, gid }: Pick<Put, 'mode' | 'uid' | 'gid'>): Promise<void> => {
    await chown(at(path), uid, gid).catch(() => undefined);
    await chmod(at(path), mode & 0o7777);
  };
  /** A folder that isn't part of the selection keeps its permissions. */
  const makeFolder = async (path: string): Promise<void> => {
    if (path === '.' || folders.has(path)) return;
    await makeFolder(dirname(path));
    const there = await find(join(workingDirectory, path)).catch(() => undefined);
    const drafted = (): Promise<BigIntStats> =>
      lstat(join(upper, path), { bigint: true }).catch(() => {
        throw new RunRefused(`Somebody else removed ${path} since. Ask again about the run first.`);
      });
    const { mode, uid, gid } = there?.isDirectory() === true ? there : await drafted();
    await mkdir(at(path), { mode: 0o700 });
    folders.set(path, { mode: Number(mode), uid: Number(uid), gid: Number(gid) });
  };
  for (const put of picked.puts) {
    const { path, kind } = put;
    await makeFolder(kind === 'folder' ? path : dirname(path));
    if (kind === 'folder') continue;
    await copyTree(join(upper, path), at(path)).catch((error: unknown) => {
      throw codeOf(error) === 'EACCES' ? new RunRefused(`${path} can't be read, so it can't be selected.`) : error;
    });
    if (kind === 'file') await finish(path, put);
  }
  for (const { path, text, mode } of picked.mixed) {
    await makeFolder(dirname(path));
    await writeFile(at(path), text, { mode: 0o600, flag: 'wx' });
    await chmod(at(path), mode);
  }
  for (const { path, mode } of picked.modes) {
    await makeFolder(path);
    folders.set(path, { uid: -1, gid: -1, ...folders.get(path), mode });
  }
  const mark = picked.removed.length === 0 ? undefined : makeRemovalMarker(root);
  for (const path of picked.removed) {
    await makeFolder(dirname(path));
    mark?.(Buffer.from(at(path)));
  }
  // Last: the program may have made a folder that nobody can write to.
  for (const [path, how] of [...folders].toReversed()) await finish(path, how);
}
