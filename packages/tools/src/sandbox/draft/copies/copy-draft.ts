import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Clock } from '@countersign/core/ports';
import { isInside, makeRemovalMarker, readDiskClock, removeTree } from '@countersign/changes';
import { pinParents } from '../../find-fixed-paths.js';
import { exceeds, watchDraft, type DraftLimits } from '../draft-limits.js';
import { collectChanges } from './collect-changes.js';
import type { BeforeOpen } from './copy-entry.js';
import { copyFolder } from './copy-folder.js';
import { FolderTooLarge } from './folder-too-large.js';
import { inexactCopies } from './inexact-copies.js';
import { keyOf } from './paths.js';

/** What a command writes to, and how it becomes a draft. */
export interface DraftLayer {
  /** Arguments before those that start bubblewrap. */
  readonly before: readonly string[];
  /** Bubblewrap options that mount it in place of the folder. */
  readonly place: readonly string[];
  /** The copy, if it is one. */
  readonly copy?: string;
  watch(clock: Clock, exceeded: () => void): () => void;
  /** Must be called once, when all writers are dead: puts the changes into `upper`. */
  collect(): Promise<void>;
  /** Which of these paths in the working folder the command still saw at the end. */
  stillSeen(paths: readonly string[]): Promise<readonly boolean[]>;
}

interface CopiedDraft {
  readonly root: string;
  readonly upper: string;
  /** A file in `root` for reading the disk's clock. */
  readonly clockFile: string;
  readonly workingDirectory: string;
  /** Where the command sees the copy. */
  readonly shownAt: string;
  /** Paths that mounts cover. Those in the working folder aren't copied. */
  readonly hidden: readonly string[];
  readonly limits: DraftLimits;
  readonly signal?: AbortSignal | undefined;
  readonly beforeOpen?: BeforeOpen | undefined;
}

/** Copies the working folder. Its copy has its path in the sandbox, so the command sees no difference. Rejects with `FolderTooLarge`. */
export async function copyDraft(draft: CopiedDraft): Promise<DraftLayer> {
  const { root, upper, clockFile, workingDirectory, shownAt, limits, signal, beforeOpen } = draft;
  const copy = join(root, 'copy');
  if (await exceeds(workingDirectory, limits)) throw new FolderTooLarge(limits);
  const inside = draft.hidden.filter((path) => isInside(workingDirectory, path));
  const hidden = new Set(inside.map((path) => keyOf(Buffer.from(relative(workingDirectory, path)))));
  const markRemoved = makeRemovalMarker(root);
  await mkdir(copy, { mode: 0o700 });
  const copied = await copyFolder(workingDirectory, copy, {
    hidden,
    limits,
    signal,
    beforeOpen,
    inexact: inexactCopies(clockFile),
  });
  // Waits for the next tick of the disk's clock, so that every write by the command changes a change time.
  await readDiskClock(clockFile);
  const pinned = pinParents(workingDirectory, [], inside).map(({ path }) => path);
  return {
    before: [],
    place: [workingDirectory, ...pinned].flatMap((path) => [
      '--bind',
      join(copy, relative(workingDirectory, path)),
      join(shownAt, relative(workingDirectory, path)),
    ]),
    copy,
    watch: (clock, exceeded) => {
      const most = { bytes: limits.bytes + copied.bytes, files: limits.files + copied.files };
      return watchDraft(copy, most, clock, exceeded);
    },
    async collect() {
      await collectChanges({ copy, upper, copied, hidden, markRemoved });
      await removeTree(copy);
    },
    // Removed paths have a marker of their own, also in folders that were removed and recreated.
    stillSeen: (paths) => Promise.resolve(paths.map(() => true)),
  };
}
