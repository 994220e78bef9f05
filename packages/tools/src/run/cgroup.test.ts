import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../../tests/support/make-folder.js';
import { findCgroupParent, openCgroup } from './cgroup.js';
import { RUN_LIMITS } from './limits.js';

it('[RUN3.4] finds a delegated group with the controllers, wherever cgroup v2 is mounted', async () => {
  const { path, remove } = await makeFolder();
  const slice = join(path, 'unified', 'user.slice');
  await mkdir(join(slice, 'own.scope'), { recursive: true });
  await writeFile(join(slice, 'cgroup.procs'), '');
  const mounts = `31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n41 31 0:38 / ${path}/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n`;
  const groups = '5:memory:/user.slice\n0::/user.slice/own.scope\n';
  const find = (): string | undefined => findCgroupParent(mounts, groups);
  await writeFile(join(slice, 'cgroup.subtree_control'), 'cpu memory\n');
  expect(find()).toBeUndefined();
  await writeFile(join(slice, 'cgroup.subtree_control'), 'cpu memory pids\n');
  expect(find()).toBe(slice);
  expect(findCgroupParent(mounts, '5:memory:/\n')).toBeUndefined();
  expect(findCgroupParent('31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n', groups)).toBeUndefined();

  const group = openCgroup(slice, 'run_1', { ...RUN_LIMITS, memoryBytes: 5_000, processes: 7 });
  const read = async (name: string): Promise<string> => await readFile(join(slice, 'countersign-run_1', name), 'utf8');
  expect([await read('memory.max'), await read('pids.max'), await read('memory.oom.group')]).toEqual([
    '5000',
    '7',
    '1',
  ]);
  expect(group?.whyEnded()).toBeUndefined();
  await writeFile(join(slice, 'countersign-run_1', 'memory.events'), 'oom 1\noom_kill 3\n');
  expect(group?.whyEnded()).toBe('memory');
  // The kernel refuses a second one of this name.
  expect(openCgroup(slice, 'run_1', RUN_LIMITS)).toBeUndefined();
  await remove();
});
