import { realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isInside } from './is-inside.js';
import { isFolder, isProgram } from './probe.js';

/** Folders in which systems install programs. The last ones belong to NixOS, Guix, Nix and Homebrew. */
export const SYSTEM_FOLDERS: readonly string[] = [
  ...['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/local/sbin'],
  ...['/run/wrappers/bin', '/run/current-system/sw/bin', '/run/current-system/profile/bin'],
  ...['/nix/var/nix/profiles/default/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin'],
];

/** The PATH for programs that we start outside the sandbox. */
export const SYSTEM_PATH = SYSTEM_FOLDERS.join(delimiter);

/**
 * A program that we start outside the sandbox. Never searched on our PATH: an agent may be able to write to a `.venv/bin` on it, and its
 * program would run with our permissions. World-writable programs are rejected too.
 */
export function findSystemProgram(name: string, folders: readonly string[] = SYSTEM_FOLDERS): string | undefined {
  const file = folders.map((folder) => join(folder, name)).find((one) => isProgram(one) && !isOpenToAll(one));
  // Sandboxes hide /run, which contains symlinks on NixOS.
  return file?.startsWith('/run/') === true ? realpathSync(file) : file;
}

/** Like `findSystemProgram`, for programs that every supported system has. If one is missing, starting it fails with an error. */
export function systemProgram(name: 'bash' | 'mkfifo'): string {
  return findSystemProgram(name) ?? join('/usr/bin', name);
}

/** A system program folder that is inside the given folder, if any: no agent may write there. */
export function systemFolderIn(folder: string): string | undefined {
  return SYSTEM_FOLDERS.find((path) => isInside(folder, path) && isFolder(path));
}

function isOpenToAll(file: string): boolean {
  const real = realpathSync(file);
  return [real, dirname(real), dirname(file)].some((one) => (statSync(one).mode & 0o002) !== 0);
}
