import { mkdtemp, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../files/write-durably.js';
import { gitChangeSchema, type GitChange, type MovedRef } from './git-change.js';
import { makeIndex, moveIndex, dropOwnLock } from './move-index.js';
import { prepareRefs, waitForUpdate, type PreparedRefs } from './move-refs.js';
import { checkLinks, hashFile, indexPack, objectFolders, PACK_FILE } from './read-draft.js';
import { readRefs } from './refs.js';
import { GitFailed } from './run-git.js';

/** A Git change that waits for its files: its objects are there, its refs are locked and checked. */
export interface PreparedGitChange {
  /** Moves the refs, all or none, and then the index. */
  commit(): Promise<void>;
  abort(): Promise<void>;
  /** Must be called when the files are applied too. From now on, a kill leaves nothing to finish. */
  forget(): Promise<void>;
}

interface Target {
  /** Contains `git.pack`. */
  readonly root: string;
  readonly workingDirectory: string;
}

/** Only the holder of the folder's lock may call this. Rejects with `ChangeConflict` if someone else moved a ref; nothing has moved then. */
export async function prepareGitChange({ root, workingDirectory }: Target, git: GitChange): Promise<PreparedGitChange> {
  const keep = await bringObjects({ root, workingDirectory }, git);
  const release = async (): Promise<void> => {
    for (const file of keep) await rm(file, { force: true });
  };
  let refs: PreparedRefs | undefined;
  try {
    refs = await prepareRefs(workingDirectory, git.refs);
    await makeIndex(root, workingDirectory, git.refs);
    const pending: Pending = {
      workingDirectory,
      refs: git.refs,
      keep,
      ...(refs.pid === undefined ? {} : { pid: refs.pid }),
    };
    await writeDurably(join(root, PENDING), JSON.stringify(pending));
  } catch (error) {
    await refs?.abort();
    await release();
    throw error;
  }
  const prepared = refs;
  return {
    async commit() {
      await prepared.commit();
      await moveIndex(root, workingDirectory, git.refs);
      await release();
    },
    async abort() {
      await prepared.abort();
      await unlink(join(root, PENDING));
      await release();
    },
    forget: () => unlink(join(root, PENDING)),
  };
}

/**
 * Checks the sealed objects once more in a folder of Git's own for unfinished transfers, and moves them among the others. Returns the files that
 * keep Git from packing them again until a ref reaches them.
 */
async function bringObjects({ root, workingDirectory }: Target, { pack, refs }: GitChange): Promise<string[]> {
  if (pack === undefined) return [];
  const file = join(root, PACK_FILE);
  if ((await hashFile(file)) !== pack) throw new GitFailed('the sealed objects have changed');
  const gitFolder = join(workingDirectory, '.git');
  const objects = join(gitFolder, 'objects');
  await dropLeftovers(workingDirectory);
  const incoming = await mkdtemp(join(objects, INCOMING));
  try {
    const env = objectFolders(incoming, objects);
    await indexPack(file, env, gitFolder, [`--keep=${KEEP}`]);
    const { refs: known } = await readRefs(workingDirectory);
    const tips = refs.flatMap(({ to }) => to ?? []);
    await checkLinks(env, gitFolder, { tips, known: [...new Set(Object.values(known))] });
    // Git looks for indexes, so they come last.
    const order = ['.keep', '.pack', '.rev', '.idx'];
    const names = await readdir(join(incoming, 'pack'));
    const keep: string[] = [];
    for (const end of order)
      for (const name of names.filter((one) => one.endsWith(end))) {
        await rename(join(incoming, 'pack', name), join(objects, 'pack', name));
        if (end === '.keep') keep.push(join(objects, 'pack', name));
      }
    return keep;
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

const INCOMING = 'tmp_objdir-incoming-countersign-';
const KEEP = 'countersign';

/** Removes what a killed process left among the objects before it moved a ref. Only the holder of the folder's lock may call this. */
export async function dropLeftovers(workingDirectory: string): Promise<void> {
  const objects = join(workingDirectory, '.git', 'objects');
  for (const name of await readdir(objects).catch(() => []))
    if (name.startsWith(INCOMING)) await rm(join(objects, name), { recursive: true, force: true });
  const packs = join(objects, 'pack');
  for (const name of (await readdir(packs).catch(() => [])).filter((one) => one.endsWith('.keep')))
    if ((await readFile(join(packs, name), 'utf8').catch(() => '')).trim() === KEEP) await rm(join(packs, name));
}

const PENDING = 'git-pending.json';
const pendingSchema = z.strictObject({
  workingDirectory: z.string(),
  refs: gitChangeSchema.shape.refs,
  keep: z.array(z.string()),
  pid: z.number().int().exactOptional(),
});
type Pending = z.infer<typeof pendingSchema>;

async function readPending(root: string): Promise<Pending | undefined> {
  const text = await readFile(join(root, PENDING), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : pendingSchema.parse(JSON.parse(text));
}

/** The working folder of a change of refs that was interrupted, or undefined. */
export async function findPendingGit(root: string): Promise<string | undefined> {
  return (await readPending(root))?.workingDirectory;
}

/**
 * Ends a change that was interrupted by a kill. If one of its refs has moved, the others and the index follow, and the files stay: returns true.
 * Otherwise no ref moves. Only the holder of the folder's lock may call this.
 */
export async function finishGitChange(root: string): Promise<boolean> {
  const pending = await readPending(root);
  if (pending === undefined) return false;
  const { workingDirectory, refs } = pending;
  if (pending.pid !== undefined) await waitForUpdate(pending.pid);
  await dropOwnLock(root, workingDirectory);
  const now = await readRefs(workingDirectory);
  const isAt = ({ name }: MovedRef, oid: string | undefined): boolean => now.refs[name] === oid;
  const hasMoved = refs.some((ref) => isAt(ref, ref.to));
  if (hasMoved) {
    const prepared = await prepareRefs(
      workingDirectory,
      refs.filter((ref) => isAt(ref, ref.from)),
    );
    await prepared.commit();
    await moveIndex(root, workingDirectory, refs);
  }
  for (const file of pending.keep) await rm(file, { force: true });
  await unlink(join(root, PENDING));
  return hasMoved;
}
