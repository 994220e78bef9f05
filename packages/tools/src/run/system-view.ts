import { execFile } from 'node:child_process';
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findSystemProgram, isInside, realPath } from '@countersign/changes';

const run = promisify(execFile);

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

/** Whether a path of /etc is in view. */
export function isShownInEtc(path: string): boolean {
  return ETC.some((name) => isInside(join('/etc', name), path));
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

const MAX_LISTED_BYTES = 16 * 1024 ** 2;
const EACH_PRIVATE = String.raw`( -type d -not -perm -005 -prune -print0 ) -o ( -not -type d -not -type l -not -perm -004 -print0 )`;

/**
 * Files and folders of the system that other users can't read. Outside its namespace, the program of a run that root starts is still root, so these have
 * to be covered. Empty if somebody else starts it.
 */
export function findPrivateInSystem(signal?: AbortSignal): Promise<string[]> {
  const system = SYSTEM.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  const etc = ETC.map((name) => join('/etc', name)).filter((path) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory(),
  );
  const found = findPrivate([...system, ...etc], signal);
  // The caller that awaits it later gets the error.
  found.catch(() => undefined);
  return found;
}

/** The same for what is in other folders. */
export async function findPrivate(folders: readonly string[], signal?: AbortSignal): Promise<string[]> {
  if (folders.length === 0 || process.getuid?.() !== 0) return [];
  const words = ['-H', ...folders, ...EACH_PRIVATE.split(' ')];
  const find = findSystemProgram('find');
  if (find === undefined) throw new Error('a run of root needs the program find. Install findutils');
  const { stdout } = await run(find, words, { cwd: '/', env: {}, maxBuffer: MAX_LISTED_BYTES, signal });
  return stdout.split('\0').filter((path) => path !== '');
}
