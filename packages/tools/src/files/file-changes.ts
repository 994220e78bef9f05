import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Hold, HoldContext, ToolContext, Undos } from '@countersign/core/ports';
import {
  type FolderPlan,
  type KeptUndos,
  type ProcessLock,
  type Step,
  type UndoLimits,
  find,
  findUndoPlace,
  folderIdOf,
  hashContent,
  holdFolder,
  keptUndos,
  lockFolder,
  readVersion,
} from '@countersign/changes';
import { replaceFile, type Target } from './open-target.js';

/** Options for `writeFile` and `editFile`. */
export interface FileOptions {
  /** Where folders are locked, and where replaced files are kept. Default: a folder in the user's cache. */
  lock?: ProcessLock | undefined;
  /** Our home folder, store and policy. Tells apart servers that keep files in the same folder. */
  hide?: readonly string[];
  /** How long, and up to which total size, calls can be undone. Default: 7 days, 1 GiB in 200 calls. */
  undoLimits?: UndoLimits | undefined;
}

/** Changes files so that people can undo it (A58). */
export interface FileChanges {
  readonly undos: Undos;
  /** Runs one change to the working folder at a time. */
  inFolder<T>(context: Pick<ToolContext, 'workingDirectory' | 'hold'>, act: () => Promise<T>): Promise<T>;
  /** Locks the working folder. Undefined if the fingerprint of the call has changed. */
  hold(context: HoldContext, fingerprint: () => Promise<string>): Promise<Hold | undefined>;
  /** Writes a file, and keeps the old one. Only to be called in `inFolder`. */
  replace(
    context: Pick<ToolContext, 'workingDirectory' | 'invocationId'>,
    target: Target,
    content: string,
  ): Promise<void>;
}

interface KeptFiles {
  readonly place: ProcessLock;
  readonly undos: KeptUndos;
}

export function fileChanges({ lock, hide = [], undoLimits }: FileOptions): FileChanges {
  let found: Promise<KeptFiles | undefined> | undefined;
  const kept = (): Promise<KeptFiles | undefined> => (found ??= openKept());
  const openKept = async (): Promise<KeptFiles | undefined> => {
    const place = lock ?? (await findUndoPlace());
    return place === undefined ? undefined : { place, undos: keptUndos(place, hide.join('\n'), undoLimits) };
  };
  return {
    undos: {
      preview: async (callId) => (await (await kept())?.undos.preview(callId)) ?? { kind: 'gone' },
      undo: async (callId, effectHash) => (await (await kept())?.undos.undo(callId, effectHash)) ?? { kind: 'gone' },
      list: async () => (await (await kept())?.undos.list()) ?? [],
    },
    inFolder: async ({ workingDirectory, hold }, act) =>
      await lockFolder(workingDirectory, (await kept())?.place, act, hold),
    async hold({ workingDirectory, fingerprint: signed }, fingerprint) {
      const hold = await holdFolder(workingDirectory, (await kept())?.place);
      if ((await fingerprint().catch(() => undefined)) === signed) return hold;
      await hold.release();
      return undefined;
    },
    async replace({ workingDirectory, invocationId }, target, content) {
      const undos = (await kept())?.undos;
      const path = relative(workingDirectory, target.path);
      const plan = await planWrite(workingDirectory, path, target.old).catch(() => undefined);
      const written = await replaceFile(workingDirectory, target, content);
      if (undos === undefined || plan === undefined) return;
      const drafted = new Map([...written].map(([name, stats]) => [name, { stats }]));
      const stats = written.get(path);
      if (stats !== undefined) drafted.set(path, { stats, ...{ content: hashContent(content) } });
      const moveOld = (upper: string): Promise<void> => putOld(join(upper, path), target.old);
      await undos.keep(invocationId, { plan, workingDirectory, drafted, moveOld });
    },
  };
}

/** The plan of a write: the folders that exist, and the file or the first folder that doesn't. */
async function planWrite(workingDirectory: string, path: string, old: Target['old']): Promise<FolderPlan> {
  const planFolder = async (folder: string, [name = '', ...rest]: readonly string[]): Promise<FolderPlan> => {
    const stats = await find(join(workingDirectory, folder));
    if (stats === undefined) throw new Error('the folder is gone');
    const was = folderIdOf(stats);
    const plan: FolderPlan = { path: folder, was, mode: was.mode, inner: [], steps: [] };
    const step = (change: { kind: 'add' } | { kind: 'replace'; was: string }): Step => ({ id: 0, name, ...change });
    if (rest.length === 0)
      plan.steps.push(step(old === undefined ? { kind: 'add' } : { kind: 'replace', was: old.version }));
    else if ((await find(join(workingDirectory, folder, name))) === undefined) plan.steps.push(step({ kind: 'add' }));
    else plan.inner.push(await planFolder(join(folder, name), rest));
    return plan;
  };
  return await planFolder('', path.split(sep));
}

/** Writes the content of a replaced file to `path`, with its owner, mode and times. */
export async function putOld(path: string, old: Target['old']): Promise<void> {
  if (old === undefined) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(old.bytes);
    const { mode } = readVersion(old.version);
    // Only root can change the owner. A file that stays ours must not get another user's setuid bit.
    const isTheirs = await handle.chown(old.uid, old.gid).then(
      () => true,
      () => false,
    );
    await handle.chmod(isTheirs ? mode : mode & 0o1777);
    await handle.utimes(old.atimeMs / 1000, old.mtimeMs / 1000);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
