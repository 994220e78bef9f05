import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ActOnPlan,
  type ApplyChange,
  type DiskMoment,
  type LayerRules,
  type LeftOut,
  type PlannedChange,
  applyChange,
  discardFolder,
  makeCallFolder,
  planChange,
  readDiskClock,
  removeTree,
} from '@countersign/changes';
import type { Clock } from '@countersign/core/ports';
import { copyDraft, type DraftLayer } from './copies/copy-draft.js';
import type { BeforeOpen } from './copies/copy-entry.js';
import { checkDraftSize, DRAFT_LIMITS, watchDraft, type DraftLimits } from './draft-limits.js';
import {
  probeArguments,
  placeArguments,
  writeArguments,
  type DraftFolders,
  type Drafting,
  type Overlay,
} from './drafting.js';

/** A copy-on-write layer over the working folder. A command writes to it until all its processes are dead. */
export interface Draft {
  /** Arguments before those that start bubblewrap. */
  readonly before: readonly string[];
  /** Bubblewrap options that mount the draft in place of the folder. */
  readonly place: readonly string[];
  /** The copy of the folder that is the draft, if no overlay is mounted. */
  readonly copy?: string;
  /** Calls `exceeded` if the command writes too much while it runs. Returns a function that stops watching. */
  watch(clock: Clock, exceeded: () => void): () => void;
  /**
   * Applies the allowed changes, and returns those that were left out. Rejects with `ChangeConflict` if someone else changed the same paths, and
   * with `DraftTooLarge`; nothing is applied in these cases. Must be called after all writers are dead.
   */
  accept(apply?: ApplyChange): Promise<readonly LeftOut[]>;
  /** Calls `act` with what `accept` would apply, while the folder is locked. Applies nothing. Rejects like `accept`. */
  plan<T>(act: (planned: PlannedChange, leftOut: readonly LeftOut[]) => Promise<T>): Promise<T>;
  /** Must always be called when the command has ended, whether accepted or not. */
  discard(): Promise<void>;
}

export interface DraftOptions extends LayerRules {
  /** Where the command sees the draft. Default: at the path of the folder. */
  readonly shownAt?: string;
  /** See `WrittenLayer`. */
  readonly skipsSame?: true | undefined;
  /** Of what the command may write and, for a copy, of the folder itself. */
  readonly limits?: DraftLimits | undefined;
  /** Paths that the sandbox covers. A copy doesn't contain them. */
  readonly hidden?: readonly string[];
  /** Ends copying. */
  readonly signal?: AbortSignal | undefined;
  readonly beforeOpen?: BeforeOpen | undefined;
}

/**
 * Mounts a draft over a folder. Changes reach the folder only after the command has ended and they have been inspected. Otherwise, the user's
 * own Git, editor or shell could run planted files while the command is still running (CHANGE1).
 */
export async function openDraft(
  drafting: Drafting,
  workingDirectory: string,
  {
    limits = DRAFT_LIMITS,
    hidden = [],
    shownAt = workingDirectory,
    skipsSame,
    signal,
    beforeOpen,
    ...rules
  }: DraftOptions = {},
): Promise<Draft> {
  const folders = await makeFolders(drafting.folder, workingDirectory);
  const clockFile = join(folders.root, 'clock');
  const { since, layer } = await openLayer().catch(async (error: unknown) => {
    await removeTree(folders.root).catch(() => undefined);
    throw error;
  });
  async function openLayer(): Promise<{ since: DiskMoment; layer: DraftLayer }> {
    // Before anything is copied: what others change from now on conflicts with the command's changes.
    const moment = await readDiskClock(clockFile);
    if (drafting.how !== 'copy')
      return { since: moment, layer: overlayLayer(drafting, folders, { workingDirectory, shownAt }, limits) };
    return {
      since: moment,
      layer: await copyDraft({ ...folders, clockFile, workingDirectory, shownAt, hidden, limits, signal, beforeOpen }),
    };
  }
  const planned = async <T>(act: ActOnPlan<T>): Promise<T> => {
    await layer.collect();
    await checkDraftSize(folders.upper, limits);
    const { root, upper } = folders;
    const stillSeen: DraftLayer['stillSeen'] = (paths) => layer.stillSeen(paths);
    return await planChange(drafting, { root, upper, workingDirectory, since, stillSeen, skipsSame }, rules, act);
  };
  return {
    before: layer.before,
    place: layer.place,
    ...(layer.copy === undefined ? {} : { copy: layer.copy }),
    watch: (clock, exceeded) => layer.watch(clock, exceeded),
    async accept(apply = (draft, now) => applyChange(drafting, draft, now)) {
      if (drafting.how !== 'copy' && (await readdir(folders.upper)).length === 0) return [];
      return await planned(async (draft, leftOut, now) => {
        await apply(draft, now);
        return leftOut;
      });
    },
    plan: planned,
    discard: () => discardFolder(folders.root),
  };
}

function overlayLayer(
  drafting: Overlay,
  folders: DraftFolders,
  { workingDirectory: folder, shownAt }: { workingDirectory: string; shownAt: string },
  limits: DraftLimits,
): DraftLayer {
  return {
    before: writeArguments(drafting, folders, folder),
    place: placeArguments(drafting, folders, folder, shownAt),
    watch: (clock, exceeded) => watchDraft(folders.upper, limits, clock, exceeded),
    collect: () => Promise.resolve(),
    stillSeen: stillSeenIn(drafting, folders, folder),
  };
}

/** Says which paths a program saw at the end, through a new mount of its draft. */
export function stillSeenIn(
  drafting: Overlay,
  folders: DraftFolders,
  folder: string,
): (paths: readonly string[]) => Promise<readonly boolean[]> {
  return (paths) => look(probeArguments(drafting, folders, folder), paths);
}

async function makeFolders(folder: string, workingDirectory: string): Promise<DraftFolders> {
  const root = await makeCallFolder(folder);
  const at = (name: string): string => join(root, name);
  const folders = { root, upper: at('upper'), work: at('work'), lower: at('lower'), merged: at('merged') };
  for (const name of ['upper', 'work', 'lower', 'merged']) await mkdir(at(name), { mode: 0o700 });
  // The top of the draft replaces the working folder, so it needs the same owner and mode.
  const { mode, uid, gid } = await stat(workingDirectory);
  await chown(folders.upper, uid, gid).catch(() => undefined);
  await chmod(folders.upper, mode & 0o7777);
  return folders;
}

async function look(words: readonly string[], paths: readonly string[]): Promise<boolean[]> {
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let answers = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (answers += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 1_000)));
  child.stdin.on('error', () => undefined);
  child.stdin.end(paths.map((path) => `${path}\0`).join(''));
  const [code] = await ended;
  if (code !== 0 || answers.length !== paths.length) throw new Error(`the draft could not be read: ${said.trim()}`);
  return paths.map((_, index) => answers[index] === '1');
}
