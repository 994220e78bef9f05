import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ASIDE, type InSandbox, runProgram, START, SYSTEM_PATH } from '@countersign/changes';
import type { Bubblewrap } from '../bubblewrap-arguments.js';
import { startArguments } from '../start-arguments.js';
import { placeReadArguments, readArguments, type DraftFolders } from './drafting.js';

/** Where systems keep programs and libraries. Missing ones are left out. */
const SYSTEM = ['/usr', '/lib', '/lib32', '/lib64', '/bin', '/sbin', '/nix', '/gnu', '/run/current-system'];
const SETTINGS = ['/etc/ld.so.cache', '/etc/alternatives'];

/** An empty layer, because an overlay needs two. */
const NOTHING = 'nothing';

/**
 * Runs system programs over a draft that a run has left, to read it: no network, nothing of the disk but programs, and nothing writable but
 * `/tmp`. All writers of the draft must be dead.
 */
export function readInDraft(sandbox: Bubblewrap, folders: DraftFolders, workingDirectory: string): InSandbox {
  return async (words, { draft, show = [], ...how }) => {
    const { drafting } = sandbox;
    if (drafting.how === 'copy') throw new Error('a draft that is a copy of its folder cannot be read');
    for (const name of [ASIDE, NOTHING]) await mkdir(join(folders.root, name), { recursive: true, mode: 0o700 });
    const { before, after } = await startArguments(folders.root);
    const layers = draft === 'start' ? [NOTHING] : [ASIDE, 'upper'];
    const lower = draft === 'now' ? workingDirectory : join(folders.root, START);
    const mounted = draft === undefined ? [] : readArguments(drafting, folders, { layers, lower });
    const place = draft === undefined ? [] : placeReadArguments(drafting, folders, { layers, lower, workingDirectory });
    const view = [
      ...[...SYSTEM, ...SETTINGS].flatMap((path) => ['--ro-bind-try', path, path]),
      ...['--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'],
      ...[...sandbox.sizeArguments, '--tmpfs', '/tmp', '--remount-ro', '/dev'],
      ...show.flatMap(({ from, at }) => ['--ro-bind', from, at]),
      ...place,
      ...['--chdir', draft === undefined ? '/tmp' : workingDirectory],
    ];
    const own = ['--uid', String(process.getuid?.() ?? 0), '--gid', String(process.getgid?.() ?? 0)];
    const namespaces = [
      ...sandbox.userNamespace,
      ...(sandbox.userNamespace.includes('--unshare-user') ? own : []),
      ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--clearenv'],
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--unshare-net'],
    ];
    const all = [...before, ...mounted, sandbox.program, ...after, ...namespaces, ...view, '--', ...words];
    return await runProgram(all, { ...how, env: { PATH: SYSTEM_PATH } });
  };
}
