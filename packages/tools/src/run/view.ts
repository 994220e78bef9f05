import { lstatSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@countersign/changes';
import type { Bubblewrap } from '../sandbox/bubblewrap-arguments.js';
import type { Programs } from '../sandbox/programs/find-programs.js';
import { USER_NAME } from './environment.js';
import { findPrivate, isShownInEtc, isSystemPath, systemArguments } from './system-view.js';

/** What the program of a run sees. All paths exist outside and are real, except `home.at`. */
export interface RunView {
  readonly sandbox: Bubblewrap;
  /** The project. The program sees its draft. */
  readonly folder: string;
  /** Where the program starts. */
  readonly directory: string;
  /** Options that mount the draft in place of the folder. */
  readonly place: readonly string[];
  /** Where the program has its home: in place of the person's own. */
  readonly home: { readonly at: string; readonly place: readonly string[] };
  readonly programs: Programs & { readonly elsewhere: readonly string[] };
  /** Other paths to show, read-only. */
  readonly show: readonly string[];
  /** Real paths that rules hide, and sockets that exist. Those that aren't in view are ignored. */
  readonly hidden: readonly string[];
  /** See `findPrivateInSystem`. */
  readonly privateInSystem: Promise<readonly string[]>;
  /** Whether it is started in a network of its own already. Otherwise, it has none. */
  readonly hasNetwork: boolean;
  /** A folder in which to write the files about the only user inside. */
  readonly temporary: string;
}

/** Whether the program sees a real path, or can look for something at it. */
export function seesIn({
  folder,
  programs,
  show,
  home,
}: Pick<RunView, 'folder' | 'programs' | 'show' | 'home'>): (path: string) => boolean {
  const shown = [folder, home.at, ...programs.shown, ...show];
  return (path) => isSystemPath(path) || isShownInEtc(path) || shown.some((one) => isInside(one, path));
}

/**
 * Bubblewrap options for a root that holds nothing but what they name: no `/opt`, no `/srv`, no home, no other disk, no socket of a service. What
 * is mounted last covers what is below it, so hidden paths come at the end.
 */
export async function viewArguments(view: RunView): Promise<string[]> {
  const { sandbox, directory, place, home, programs, show } = view;
  const { sizeArguments: size } = sandbox;
  const sees = seesIn(view);
  const [inSystem, elsewhere] = await Promise.all([view.privateInSystem, findPrivate(programs.elsewhere)]);
  const unreadable = [...inSystem, ...elsewhere];
  const covered = new Set([...programs.hidden, ...unreadable, ...view.hidden].filter(sees));
  return [
    ...namespaces(view),
    ...systemArguments(),
    ...(await userFiles(view)),
    ...['--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'],
    ...['/tmp', '/var/tmp', '/run'].flatMap((path) => [...size, '--tmpfs', path]),
    // If /dev were writable, it would provide unlimited memory.
    ...[...size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...home.place,
    ...[...programs.shown, ...show].flatMap((path) => (isSystemPath(path) ? [] : ['--ro-bind', path, path])),
    ...programs.links.flatMap(({ at, to }) => (sees(at) ? [] : ['--symlink', to, at])),
    ...place,
    ...outermost([...covered]).flatMap(cover),
    // Of the root itself, which would provide unlimited memory, too. What is mounted in it stays as it is.
    ...['--remount-ro', '/', '--chdir', directory],
  ];
}

/** Inside, root would be another user: agents refuse to work as root, and files of root are then files of that user. */
const OTHER_USER = 1000;

/** The user and group inside. */
function userInside(): { uid: number; gid: number } {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 ? { uid: OTHER_USER, gid: OTHER_USER } : { uid, gid: process.getgid?.() ?? uid };
}

function namespaces({ sandbox, hasNetwork }: RunView): string[] {
  const { uid, gid } = userInside();
  return [
    ...sandbox.userNamespace,
    ...['--uid', String(uid), '--gid', String(gid), '--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...['--hostname', 'countersign'],
  ];
}

/** Files of /etc that name only the user inside: the real ones list the machine's users, groups and other hosts. */
async function userFiles({ temporary, home }: RunView): Promise<string[]> {
  const { uid, gid } = userInside();
  const files = {
    passwd: `root:x:0:0:root:/:/usr/sbin/nologin\n${USER_NAME}:x:${uid}:${gid}::${home.at}:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n`,
    group: `root:x:0:\n${USER_NAME}:x:${gid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost countersign\n::1 localhost\n',
    'resolv.conf': 'nameserver 127.0.0.1\n',
  };
  const words = Object.entries(files).map(async ([name, text]) => {
    const file = join(temporary, name);
    await writeFile(file, text, { mode: 0o644 });
    return ['--ro-bind', file, `/etc/${name}`];
  });
  return (await Promise.all(words)).flat();
}

/** Nothing can be mounted in a covered folder. */
function outermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(other, path)));
}

function cover(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isDirectory() ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
}
