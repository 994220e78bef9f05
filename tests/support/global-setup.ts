import { mkdir } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import bubblewrap from './bubblewrap-global-setup.js';
import build from './build-global-setup.js';
import curl from './curl-global-setup.js';
import postgres from './postgres-global-setup.js';
import { TEST_CACHE } from './test-cache.js';
import tmux from './tmux-global-setup.js';
import web from './web-global-setup.js';

/** Prepares a run: builds and starts PostgreSQL concurrently, because each leaves a core idle. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  await mkdir(TEST_CACHE, { recursive: true, mode: 0o700 });
  const [stop, ...others] = await Promise.allSettled([postgres(project), build(), installPrograms(project)]);
  const failed = [stop, ...others].find((each) => each.status === 'rejected');
  if (failed === undefined) return stop.status === 'fulfilled' ? stop.value : undefined;
  if (stop.status === 'fulfilled') await stop.value?.();
  throw failed.reason;
}

/** One after the other: a package manager takes a lock. */
async function installPrograms(project: TestProject): Promise<void> {
  await web(project);
  await bubblewrap(project);
  await tmux(project);
  await curl(project);
}
