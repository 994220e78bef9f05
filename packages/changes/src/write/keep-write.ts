import { constants, type BigIntStats } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { readVersion } from '../effect/list-changes.js';
import { find } from '../files/open-folder.js';
import { folderIdOf, type FolderPlan, type Step } from '../plan/plan.js';
import { hashContent } from '../undo/drafted-files.js';
import type { KeptUndos } from '../undo/kept-undos.js';
import type { FileWrite, OldFile } from './file-write.js';

/**
 * Writes a file with `act`, and keeps what is needed to undo it. `act` returns what it wrote: the file, and the folders that it created, by path.
 * Only the holder of the folder's lock may call this.
 */
export async function keepWrite(
  undos: KeptUndos | undefined,
  callId: string,
  { workingDirectory, path, old, content }: FileWrite,
  act: () => Promise<ReadonlyMap<string, BigIntStats>>,
): Promise<void> {
  const plan = await planWrite(workingDirectory, path, old).catch(() => undefined);
  const written = await act();
  if (undos === undefined || plan === undefined) return;
  const drafted = new Map([...written].map(([name, stats]) => [name, { stats }]));
  const stats = written.get(path);
  if (stats !== undefined) drafted.set(path, { stats, ...{ content: hashContent(content) } });
  const moveOld = (upper: string): Promise<void> => putOld(join(upper, path), old);
  await undos.keep(callId, { plan, workingDirectory, drafted, moveOld });
}

/** The plan of a write: the folders that exist, and the file or the first folder that doesn't. */
async function planWrite(workingDirectory: string, path: string, old: OldFile | undefined): Promise<FolderPlan> {
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
export async function putOld(path: string, old: OldFile | undefined): Promise<void> {
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
