import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { realPath } from '@countersign/changes';

/** Folders with the system's programs and libraries. On most systems, all but the first are links into it. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/** What programs need to start, to find certificates and to show times. No file that may contain a secret, and no list of this machine's users. */
const ETC =
  `alternatives bash.bashrc bash_completion.d bindresvport.blacklist ca-certificates ca-certificates.conf crypto-policies debian_version
   default/locale fonts gai.conf host.conf inputrc issue java-11-openjdk java-17-openjdk java-21-openjdk ld.so.cache ld.so.conf ld.so.conf.d locale.alias
   locale.conf locale.gen localtime lsb-release machine-info magic magic.mime mime.types nsswitch.conf os-release perl pki/ca-trust
   pki/tls/certs pki/tls/cert.pem pki/tls/openssl.cnf profile protocols python3 python3.11 python3.12 python3.13 redhat-release services shells
   ssl/cert.pem ssl/certs ssl/openssl.cnf system-release terminfo timezone xdg`.split(/\s+/);

/** Bubblewrap options that show the system, read-only, in an otherwise empty root. */
export function systemArguments(): string[] {
  return [...SYSTEM.flatMap(show), ...ETC.map((name) => join('/etc', name)).flatMap(showFile)];
}

/** Whether a real path is shown by `systemArguments`. */
export function isSystemPath(path: string): boolean {
  return SYSTEM.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function show(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** Follows links, because their targets may not be shown. */
function showFile(path: string): string[] {
  const real = realPath(path);
  const stats = real === undefined ? undefined : lstatSync(real, { throwIfNoEntry: false });
  if (real === undefined || stats === undefined || (stats.mode & 0o004) === 0) return [];
  return ['--ro-bind', real, path];
}

/** How deep to look in `/usr`, which has hundreds of thousands of files, and in other folders. */
const DEPTH = { usr: 3, other: 8 } as const;
const MAX_ENTRIES = 100_000;

/**
 * Files and folders of the system, and in `shown`, that other users can't read. Outside its namespace, the program of a run that root starts is
 * still root, so these have to be covered.
 */
export function findPrivate(shown: readonly string[]): string[] {
  const found = new Set<string>();
  let left = MAX_ENTRIES;
  const enter = (folder: string, depth: number): void => {
    for (const name of namesIn(folder)) {
      left -= 1;
      if (left < 0) throw new Error(`${folder} has too many files to check that none of them is private`);
      look(join(folder, name), depth - 1);
    }
  };
  const look = (path: string, depth: number): void => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isSymbolicLink()) return;
    const needed = stats.isDirectory() ? 0o005 : 0o004;
    if ((stats.mode & needed) !== needed) found.add(path);
    else if (stats.isDirectory() && depth > 0) enter(path, depth);
  };
  enter('/usr', DEPTH.usr);
  for (const path of ['/usr/local', ...shown]) look(path, DEPTH.other);
  return [...found];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
