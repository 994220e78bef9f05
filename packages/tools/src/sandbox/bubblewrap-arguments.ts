import { isInside } from '@countersign/changes';
import type { FixedPath } from './find-fixed-paths.js';
import type { NetworkAccess, Sandbox } from './sandbox.js';

export type Bubblewrap = Extract<Sandbox, { kind: 'bubblewrap' }>;

export interface HiddenPath {
  readonly path: string;
  readonly kind: 'folder' | 'file';
}

/** The file system that one command sees. All paths exist and are real. */
export interface BubblewrapView {
  readonly workingDirectory: string;
  /** Options that mount the working folder or its draft. */
  readonly place: readonly string[];
  readonly hiddenFolders: readonly string[];
  /** Files and sockets to cover with something that can't be opened. */
  readonly hiddenFiles: readonly string[];
  readonly shown: readonly string[];
  /** Symlinks to visible paths. Those inside a hidden folder are recreated there. */
  readonly links: readonly { readonly at: string; readonly to: string }[];
  readonly fixed: readonly FixedPath[];
  /** Paths that rules hide from the command, anywhere on the disk. */
  readonly hiddenByRules: readonly HiddenPath[];
  readonly network: NetworkAccess;
  /** Additional options for other paths. */
  readonly more: readonly string[];
}

/** Namespaces, devices and a read-only disk, the same for every command. */
export function bubblewrapBase(
  { userNamespace, sizeArguments }: Pick<Bubblewrap, 'userNamespace' | 'sizeArguments'>,
  { network }: { network: NetworkAccess },
): string[] {
  // Otherwise, a command in its draft's user namespace would see itself as root and behave accordingly.
  const own = ['--uid', String(process.getuid?.() ?? 0), '--gid', String(process.getgid?.() ?? 0)];
  return [
    ...userNamespace,
    ...(userNamespace.includes('--unshare-user') ? own : []),
    // As root, bubblewrap keeps all capabilities by default.
    ...['--cap-drop', 'ALL'],
    '--die-with-parent',
    // Without a separate session, a command could type into our terminal.
    '--new-session',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network === 'host' ? [] : ['--unshare-net']),
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    // As root, a command could write kernel settings even without capabilities, and one of these settings names a program that runs outside the
    // sandbox.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...[...sizeArguments, '--tmpfs', '/tmp'],
    // If /dev were writable, it would provide unlimited memory.
    ...[...sizeArguments, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
  ];
}

/** Folders that programs expect to be writable. */
const SCRATCH = ['/tmp', '/var/tmp'];

/** The order matters: hidden and shown folders first, then the working folder, then the fixed paths inside it. */
export function bubblewrapArguments(sandbox: Bubblewrap, view: BubblewrapView): string[] {
  const layers = layersOf(view);
  const closed = layers.filter(({ path, how }) => how === 'hidden' && !SCRATCH.includes(path));
  return [
    ...bubblewrapBase(sandbox, view),
    ...layers.flatMap(({ path, how }) =>
      how === 'hidden'
        ? [...(SCRATCH.includes(path) ? sandbox.sizeArguments : []), '--tmpfs', path]
        : ['--ro-bind', path, path],
    ),
    ...linksIn(view).flatMap(({ at, to }) => ['--symlink', to, at]),
    ...view.place,
    ...view.more,
    ...view.fixed.flatMap(fix),
    // Empty and read-only: if they were writable, they would provide unlimited memory.
    ...closed.flatMap(({ path }) => ['--remount-ro', path]),
    ...view.hiddenFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // Must be last, so that no later mount uncovers them.
    ...view.hiddenByRules.flatMap(({ path, kind }) =>
      kind === 'folder' ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...['--chdir', view.workingDirectory],
  ];
}

/** Excludes links that already exist, are in shown folders, or are below another link. */
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

/** Outer folders come first, so that inner ones take precedence: our own files stay hidden inside a shown folder. */
function layersOf({ hiddenFolders, shown }: BubblewrapView): Layer[] {
  const all: Layer[] = [
    ...hiddenFolders.map((path) => ({ path, how: 'hidden' as const })),
    ...shown.filter((path) => !hiddenFolders.includes(path)).map((path) => ({ path, how: 'shown' as const })),
  ].sort((a, b) => a.path.length - b.path.length);
  const layers: Layer[] = [];
  for (const layer of all) {
    const around = layers.findLast(({ path }) => isInside(path, layer.path));
    // Everything in /tmp is already hidden.
    const now = around?.how ?? (isInside('/tmp', layer.path) ? 'hidden' : 'shown');
    if (now !== layer.how) layers.push(layer);
  }
  return layers;
}

function fix({ path, how }: FixedPath): string[] {
  switch (how) {
    case 'read-only':
      return ['--ro-bind', path, path];
    case 'pinned':
      // A mount point can't be renamed. Otherwise, replacing `.git` would bypass the fixed paths in it.
      return ['--bind', path, path];
  }
}
