import { isInside } from '../files/is-inside.js';
import type { FixedPath } from './find-fixed-paths.js';
import type { NetworkAccess, Sandbox } from './sandbox.js';

export type Bubblewrap = Extract<Sandbox, { kind: 'bubblewrap' }>;

export interface KeptPath {
  readonly path: string;
  readonly kind: 'folder' | 'file';
}

/** What the disk looks like for one command: everything here exists and is real. */
export interface BubblewrapView {
  readonly workingDirectory: string;
  /** What puts the working folder, or its draft, in its place. */
  readonly place: readonly string[];
  readonly hiddenFolders: readonly string[];
  /** Files and sockets: what stands there instead can't be opened. */
  readonly hiddenFiles: readonly string[];
  readonly shown: readonly string[];
  /** Links to what is shown. Those that lie in a hidden place are made there. */
  readonly links: readonly { readonly at: string; readonly to: string }[];
  readonly fixed: readonly FixedPath[];
  /** What rules keep from it, wherever it lies. */
  readonly kept: readonly KeptPath[];
  readonly network: NetworkAccess;
  /** Further words, for what lies elsewhere. */
  readonly more: readonly string[];
}

/** Namespaces, devices and the disk read-only: what holds for every command. */
export function bubblewrapBase(
  { userNamespace, sizeWords }: Pick<Bubblewrap, 'userNamespace' | 'sizeWords'>,
  { network }: { network: NetworkAccess },
): string[] {
  // In a namespace for its draft a command would else be told that it is root, and behave so.
  const own = ['--uid', String(process.getuid?.() ?? 0), '--gid', String(process.getgid?.() ?? 0)];
  return [
    ...userNamespace,
    ...(userNamespace.includes('--unshare-user') ? own : []),
    // As root, bubblewrap keeps every capability unless told not to.
    ...['--cap-drop', 'ALL'],
    '--die-with-parent',
    // Without a session of its own a command could type into the terminal we were started from.
    '--new-session',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network === 'host' ? [] : ['--unshare-net']),
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    // As root the kernel's settings are ours to write, capabilities or not: one of them names a program to run outside.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...[...sizeWords, '--tmpfs', '/tmp'],
    // Written to, /dev itself would be memory that nobody counts.
    ...[...sizeWords, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
  ];
}

/** Where programs expect that they may leave something for a while. */
const SCRATCH = ['/tmp', '/var/tmp'];

/** The order matters: what is hidden and shown first, then the working folder, then what stays fixed inside it. */
export function bubblewrapArguments(sandbox: Bubblewrap, view: BubblewrapView): string[] {
  const layers = layersOf(view);
  const closed = layers.filter(({ path, how }) => how === 'hidden' && !SCRATCH.includes(path));
  return [
    ...bubblewrapBase(sandbox, view),
    ...layers.flatMap(({ path, how }) =>
      how === 'hidden'
        ? [...(SCRATCH.includes(path) ? sandbox.sizeWords : []), '--tmpfs', path]
        : ['--ro-bind', path, path],
    ),
    ...linksIn(view).flatMap(({ at, to }) => ['--symlink', to, at]),
    ...view.place,
    ...view.more,
    ...view.fixed.flatMap(fix),
    // Empty and closed: written to, they would be memory that nobody counts.
    ...closed.flatMap(({ path }) => ['--remount-ro', path]),
    ...view.hiddenFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // Last: nothing that is laid over them afterwards brings them back.
    ...view.kept.flatMap(({ path, kind }) =>
      kind === 'folder' ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...['--chdir', view.workingDirectory],
  ];
}

/** Not where one is already, in what is shown, nor below another. */
function linksIn({ links, hiddenFolders, shown, workingDirectory }: BubblewrapView): BubblewrapView['links'] {
  const there = [...shown, workingDirectory];
  return links.filter(
    ({ at }) =>
      hiddenFolders.some((folder) => folder !== at && isInside(folder, at)) &&
      !there.some((other) => isInside(other, at)) &&
      !links.some((other) => other.at !== at && isInside(other.at, at)),
  );
}

interface Layer {
  readonly path: string;
  readonly how: 'hidden' | 'shown';
}

/** Outer ones first, so that an inner one has the last word: what is ours stays hidden in a folder that is shown. */
function layersOf({ hiddenFolders, shown }: BubblewrapView): Layer[] {
  const all: Layer[] = [
    ...hiddenFolders.map((path) => ({ path, how: 'hidden' as const })),
    ...shown.filter((path) => !hiddenFolders.includes(path)).map((path) => ({ path, how: 'shown' as const })),
  ].sort((a, b) => a.path.length - b.path.length);
  const kept: Layer[] = [];
  for (const layer of all) {
    const around = kept.findLast(({ path }) => isInside(path, layer.path));
    // /tmp is hidden already, and all that is in nothing is seen.
    const now = around?.how ?? (isInside('/tmp', layer.path) ? 'hidden' : 'shown');
    if (now !== layer.how) kept.push(layer);
  }
  return kept;
}

function fix({ path, how }: FixedPath): string[] {
  switch (how) {
    case 'read-only':
      return ['--ro-bind', path, path];
    case 'pinned':
      // A mount point can't be renamed: moving `.git` away and making a new one would get around what is fixed in it.
      return ['--bind', path, path];
  }
}
