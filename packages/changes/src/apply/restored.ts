import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hashOld } from '../effect/read-content.js';
import { find } from '../files/open-folder.js';
import { writeDurably } from '../files/write-durably.js';
import { changedIn } from '../plan/check-plan.js';
import { folderIdOf, isSameButChangeTime, versionOf, type FolderPlan } from '../plan/plan.js';

const RESTORED = 'restored.json';
const schema = z.array(z.tuple([z.string(), z.string()]));

/** The versions of paths that were rolled back, and of their folders. Only their change times are new, so they don't look changed by others. */
export async function readRestored(root: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(root, RESTORED), 'utf8').catch(() => '[]');
  return new Map(schema.parse(JSON.parse(text)));
}

/** Notes files that a part of a run has put into the folder, which is locked: the rest of the run isn't in conflict with them. */
export async function noteOurs(
  root: string,
  workingDirectory: string,
  puts: readonly { readonly path: string; readonly hash: string }[],
): Promise<void> {
  const found = new Map(await readRestored(root));
  for (const { path, hash } of puts) {
    const there = await find(join(workingDirectory, path));
    const version = there === undefined ? '' : versionOf(there);
    // Somebody may have written to it since.
    if ((await hashOld(workingDirectory, path, version)) === hash) found.set(path, version);
  }
  await writeDurably(join(root, RESTORED), JSON.stringify([...found]));
}

interface RolledBack {
  readonly workingDirectory: string;
  readonly plan: FolderPlan;
  /** Steps that are as before, even if they are a copy from another disk now. */
  readonly movedBack: ReadonlySet<number>;
}

/** Notes which paths of a plan are as they were before it, while the folder is locked. */
export async function noteRestored(root: string, { workingDirectory, plan, movedBack }: RolledBack): Promise<void> {
  const found = new Map(await readRestored(root));
  const note = async (path: string): Promise<void> => {
    const there = await find(join(workingDirectory, path));
    if (there !== undefined) found.set(path, versionOf(there));
  };
  const walk = async ({ path, was, inner, steps }: FolderPlan): Promise<void> => {
    const there = await find(join(workingDirectory, path)).catch(() => undefined);
    if (there === undefined) return;
    const { dev, ino, mode } = folderIdOf(there);
    if (dev !== was.dev || ino !== was.ino) return;
    if (mode === was.mode) await note(path);
    for (const one of inner) await walk(one);
    for (const step of steps) {
      if (step.kind === 'add') continue;
      const top = join(path, step.name);
      const isSame = async (): Promise<boolean> =>
        (await changedIn(join(workingDirectory, top), step, false, isSameButChangeTime)).length === 0;
      if (!movedBack.has(step.id) && !(await isSame())) continue;
      for (const below of step.kind === 'remove' ? step.was.map(([one]) => one) : ['']) await note(join(top, below));
    }
  };
  await walk(plan);
  await writeDurably(join(root, RESTORED), JSON.stringify([...found]));
}
