import { mkdir } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import bubblewrap from './bubblewrap-global-setup.js';
import build from './build-global-setup.js';
import curl from './curl-global-setup.js';
import postgres from './postgres-global-setup.js';
import staticChecks from './static-checks-global-setup.js';
import { TEST_CACHE } from './test-cache.js';
import tmux from './tmux-global-setup.js';
import web from './web-global-setup.js';

/** Prepares a run: builds and starts PostgreSQL concurrently, because each leaves a core idle. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await mkdir(TEST_CACHE, { recursive: true, mode: 0o700 });
  const built = build(project);
  const all = await Promise.allSettled([
    postgres(project),
    staticChecks(project, built),
    built,
    installPrograms(project),
  ]);
  const stop = async (): Promise<void> => {
    for (const each of all) if (each.status === 'fulfilled') await each.value?.();
  };
  const failed = all.find((each) => each.status === 'rejected');
  if (failed === undefined) return stop;
  await stop();
  throw failed.reason;
}

/** One after the other: a package manager takes a lock. */
async function installPrograms(project: TestProject): Promise<undefined> {
  await web(project);
  await bubblewrap(project);
  await tmux(project);
  await curl(project);
}
