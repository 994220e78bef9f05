import { lstat, realpath } from 'node:fs/promises';
import { ownFiles, type ProtectedPaths } from '@countersign/core/ports';
import { isInside, systemFolderIn } from '@countersign/changes';
import { findProtected } from './find-protected.js';
import { hostSockets } from './host-sockets.js';
import { secretFolderAt, secretFolderText } from './programs/secret-folder.js';
import type { Confinement } from './sandbox.js';

/** Folders with other users' files, temporary files, service sockets, other disks and the machine's secrets. */
const SYSTEM_HIDDEN = `
  /tmp /var/tmp /run /var/run /home /root /mnt /media /boot
  /etc/ssh /etc/ssl/private /etc/letsencrypt /etc/wireguard /etc/openvpn /etc/NetworkManager/system-connections /etc/kubernetes
  /var/log /var/mail /var/spool /var/backups /var/lib/docker /var/lib/containerd /var/lib/kubelet /var/lib/postgresql /var/lib/mysql
`
  .trim()
  .split(/\s+/);
const SYSTEM_HIDDEN_FILES = ['/etc/shadow', '/etc/gshadow', '/etc/shadow-', '/etc/gshadow-', '/etc/krb5.keytab'];

export interface Hidden {
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** Visible paths that rules hide. */
  readonly hiddenByRules: readonly string[];
  /** Whether the command sees a real path, ignoring rules. */
  readonly sees: (path: string) => boolean;
}

/** The paths that a command must not see, based on the current state of the disk. */
export async function findHidden(confinement: Confinement, alsoHidden: readonly string[] = []): Promise<Hidden> {
  const { workingDirectory: shownAt, copy, home, hide, show, programs, protectedPaths: rules } = confinement;
  const workingDirectory = copy ?? shownAt;
  const protectedPaths = copy === undefined || rules === undefined ? rules : seenAt(rules, copy, shownAt);
  const folders = new Set<string>();
  const files = new Set<string>();
  const wanted = [
    ...SYSTEM_HIDDEN,
    home,
    ...hide,
    ...(programs?.hidden ?? []),
    ...alsoHidden,
    ...ownFiles(),
    ...SYSTEM_HIDDEN_FILES,
    ...(await hostSockets()),
  ];
  for (const path of wanted) {
    const real = await realpath(path).catch(() => undefined);
    const stats = real === undefined ? undefined : await lstat(real).catch(() => undefined);
    // If the home folder is `/`, hiding it would hide everything.
    if (real === undefined || stats === undefined || real === '/') continue;
    if (stats.isDirectory()) folders.add(real);
    else files.add(real);
  }
  const openings = programs?.shown ?? [];
  const seen = (path: string): boolean =>
    [workingDirectory, ...show, ...openings].some((shown) => isInside(shown, path)) ||
    ![...folders].some((folder) => isInside(folder, path));
  // The command sees the copy in place of the folder.
  const isCovered = (path: string): boolean => copy !== undefined && isInside(shownAt, path);
  const isHidden = (path: string): boolean => UNREAL.includes(path) || isCovered(path) || !seen(path);
  const areas = [workingDirectory, ...show.filter((path) => !isInside(workingDirectory, path))];
  const hiddenByRules =
    protectedPaths === undefined ? [] : await findProtected(protectedPaths, { areas, openings, isHidden });
  const needed = hiddenByRules.find((path) => [...NEEDED, workingDirectory].some((other) => isInside(path, other)));
  if (needed !== undefined) {
    throw new Error(`a rule denies ${needed}, which every command needs. Nothing ran. Make the rule narrower`);
  }
  const sees = copy === undefined ? seen : (path: string) => seen(movePath(path, shownAt, copy));
  return {
    folders: [...folders],
    files: [...files].filter((path) => seen(path) && !isCovered(path)),
    hiddenByRules,
    sees,
  };
}

/** Rules name paths of the folder, and the search finds those of its copy. */
function seenAt({ isProtected, mayHold }: ProtectedPaths, copy: string, shownAt: string): ProtectedPaths {
  return {
    isProtected: (path) => isProtected(movePath(path, copy, shownAt)),
    mayHold: (folder, where) => mayHold(movePath(folder, copy, shownAt), where),
  };
}

/** The same path in another folder, or an unchanged path that isn't in this one. */
export function movePath(path: string, from: string, to: string): string {
  return isInside(from, path) ? `${to}${path.slice(from.length)}` : path;
}

/** Virtual file systems, to which rules about paths don't apply. */
const UNREAL = ['/proc', '/sys', '/dev'];
/** No shell starts without these. */
const NEEDED = ['/usr/bin', '/bin', '/lib', '/usr/lib'];

/** Rejects a working folder in which nothing could be hidden from a command (SAFE1). */
export function checkWorkingFolder(
  { workingDirectory, home, hide }: Confinement,
  hiddenFolders: readonly string[] = [],
): void {
  for (const path of hide) {
    if (isInside(path, workingDirectory) || isInside(workingDirectory, path)) {
      throw new Error(
        `the working folder ${workingDirectory} contains or is inside ${path}, which agents must not reach`,
      );
    }
  }
  const secret = secretFolderAt(workingDirectory, home);
  if (secret !== undefined) throw new Error(`the working folder ${workingDirectory} ${secretFolderText(secret)}`);
  const system = workingDirectory === '/' ? undefined : systemFolderIn(workingDirectory);
  if (system !== undefined) {
    throw new Error(
      `the working folder ${workingDirectory} contains ${system}, from which Countersign starts programs; choose another folder`,
    );
  }
  const swallowed = [home, ...hiddenFolders].find((path) => path !== '/' && isInside(workingDirectory, path));
  if (swallowed !== undefined || workingDirectory === '/') {
    throw new Error(
      `the working folder ${workingDirectory} is too large: commands could reach all of ${swallowed ?? '/'}; choose a folder inside it`,
    );
  }
}
