import { join } from 'node:path';
import { find, removedVersionOf, type FolderPlan, type Step } from '../plan.js';

/**
 * Rolling back an undo moves files, which updates their change times. Takes over the versions of files that differ in nothing else, so that they
 * don't look changed by someone else.
 */
export async function refreshPlan(workingDirectory: string, plan: FolderPlan): Promise<FolderPlan> {
  const inner = await Promise.all(plan.inner.map((folder) => refreshPlan(workingDirectory, folder)));
  const steps: Step[] = [];
  for (const step of plan.steps) steps.push(await refreshStep(join(workingDirectory, plan.path, step.name), step));
  return { ...plan, inner, steps };
}

async function refreshStep(path: string, step: Step): Promise<Step> {
  switch (step.kind) {
    case 'add':
      return step;
    case 'replace':
      return { ...step, was: await refresh(path, step.was) };
    case 'remove': {
      const was: [string, string][] = [];
      for (const [below, version] of step.was) was.push([below, await refresh(join(path, below), version)]);
      return { ...step, was };
    }
  }
}

async function refresh(path: string, version: string): Promise<string> {
  const there = await find(path).catch(() => undefined);
  const now = there === undefined ? version : removedVersionOf(there);
  return withoutChangeTime(now) === withoutChangeTime(version) ? now : version;
}

/** The change time of a file is the last of six parts. Folders have none. */
function withoutChangeTime(version: string): string {
  return version.split(' ').slice(0, 5).join(' ');
}
