import { join } from 'node:path';
import { find } from '../files/open-folder.js';
import { folderIdOf, isSameButChangeTime, removedVersionOf, type FolderPlan, type Step } from '../plan/plan.js';
import { findSameContent } from './drafted-files.js';
import type { KeptUndo } from './undo-record.js';

interface Refreshing extends Pick<KeptUndo, 'workingDirectory' | 'contents'> {
  /** Whether an undo may have been rolled back, which updates change times. */
  readonly wasTried: boolean;
}

/**
 * The plan with the current versions of all paths that are as the call left them: files and links with the same content and mode, and folders with
 * the same mode. Their times and inodes may differ, because someone wrote the same content again or an undo was rolled back.
 */
export async function refreshPlan(kept: KeptUndo, wasTried: boolean): Promise<FolderPlan> {
  return await refreshFolder(kept.plan, { ...kept, wasTried });
}

async function refreshFolder(plan: FolderPlan, now: Refreshing): Promise<FolderPlan> {
  const { path } = plan;
  const there = path === '' ? undefined : await find(join(now.workingDirectory, path)).catch(() => undefined);
  const id = there?.isDirectory() === true ? folderIdOf(there) : plan.was;
  const inner: FolderPlan[] = [];
  for (const folder of plan.inner) inner.push(await refreshFolder(folder, now));
  const steps: Step[] = [];
  for (const step of plan.steps) steps.push(await refreshStep(join(path, step.name), step, now));
  return { ...plan, was: id.mode === plan.was.mode ? id : plan.was, inner, steps };
}

async function refreshStep(path: string, step: Step, now: Refreshing): Promise<Step> {
  switch (step.kind) {
    case 'add':
      return step;
    case 'replace':
      return { ...step, was: await refresh(path, step.was, now) };
    case 'remove': {
      const was: [string, string][] = [];
      for (const [below, version] of step.was) was.push([below, await refresh(join(path, below), version, now)]);
      return { ...step, was };
    }
  }
}

async function refresh(path: string, version: string, now: Refreshing): Promise<string> {
  const { workingDirectory, contents, wasTried } = now;
  const there = await find(join(workingDirectory, path)).catch(() => undefined);
  const found = there === undefined ? version : removedVersionOf(there);
  if (found === version || there === undefined) return version;
  // The entries of a folder are compared one by one.
  if (there.isDirectory()) return modeOfFolder(found) === modeOfFolder(version) ? found : version;
  if (wasTried && isSameButChangeTime(found, version)) return found;
  const content = contents[path];
  if (content === undefined) return version;
  return (await findSameContent(workingDirectory, path, { version, content })) ?? version;
}

/** Undefined if the version is that of a file or link, which has six parts. */
function modeOfFolder(version: string): string | undefined {
  const parts = version.split(' ');
  return parts.length === 3 ? parts[2] : undefined;
}
