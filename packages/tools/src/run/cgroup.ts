import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { RunEnd } from '@countersign/protocol';
import type { RunLimits } from './limits.js';

const CONTROLLERS = ['memory', 'pids'];

/** Limits of the kernel for all processes of a run together. */
export interface RunCgroup {
  /** Words before those that start the sandbox: they move it into the group. */
  readonly before: readonly string[];
  /** The limit at which the kernel ended the run, if it did. */
  whyEnded(): RunEnd | undefined;
  /** Once all processes are dead. */
  remove(): void;
}

/**
 * The folder in which groups with our limits can be created: next to our own group, or in it if it is the root. Undefined if the kernel has no
 * cgroup v2 with these controllers there, or if it isn't delegated to us.
 */
export function findCgroupParent(
  mountinfo: string = read('/proc/self/mountinfo'),
  groups: string = read('/proc/self/cgroup'),
): string | undefined {
  const own = /^0::(.*)$/m.exec(groups)?.[1];
  // Hybrid systems mount it beside version 1, so its place is not always /sys/fs/cgroup.
  const mount = mountinfo
    .split('\n')
    .map((line) => /^\d+ \d+ \S+ (?<root>\S+) (?<at>\S+) .* - cgroup2 /.exec(line)?.groups)
    .find((found) => found !== undefined);
  if (own === undefined || mount === undefined) return undefined;
  const group = join(mount['at'] ?? '', relative(mount['root'] ?? '/', own));
  return [dirname(group), group].find((folder) => folder.startsWith(mount['at'] ?? '') && isDelegated(folder));
}

function isDelegated(folder: string): boolean {
  const enabled = read(join(folder, 'cgroup.subtree_control')).trim().split(' ');
  if (!CONTROLLERS.every((name) => enabled.includes(name))) return false;
  try {
    // Moving a process also needs this file of the group above both.
    for (const path of [folder, join(folder, 'cgroup.procs')]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const JOIN = 'echo 0 > "$1/cgroup.procs" || exit 1; shift; exec "$@"';

/** Undefined if the kernel refuses. The limits are then checked by looking: see `watchRun`. */
export function openCgroup(parent: string, id: string, limits: RunLimits): RunCgroup | undefined {
  const folder = join(parent, `countersign-${id}`);
  try {
    mkdirSync(folder);
    const settings = {
      'memory.max': limits.memoryBytes,
      // All of the run ends, instead of one process after the other.
      'memory.oom.group': 1,
      'pids.max': limits.processes,
    };
    for (const [name, value] of Object.entries(settings)) writeFileSync(join(folder, name), String(value));
  } catch {
    remove(folder);
    return undefined;
  }
  return {
    before: ['/bin/sh', '-c', JOIN, 'cgroup', folder],
    whyEnded: () => (/^oom_kill [1-9]/m.test(read(join(folder, 'memory.events'))) ? 'memory' : undefined),
    remove: () => remove(folder),
  };
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // An empty group costs nothing.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** How the limits of runs are enforced here, for `doctor`. */
export function describeRunLimits(): string {
  return findCgroupParent() === undefined
    ? 'memory and processes of runs are checked five times a second, because no cgroup v2 with these controllers is delegated'
    : 'the kernel limits memory and processes of runs (cgroup v2)';
}
