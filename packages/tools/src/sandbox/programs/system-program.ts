import { realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isInside } from '../../files/is-inside.js';
import { isFolder, isProgram } from '../../files/probe.js';

/** Where a system installs programs for everybody. The last are those of NixOS, Guix, Nix and Homebrew. */
export const SYSTEM_FOLDERS: readonly string[] = [
  ...['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/local/sbin'],
  ...['/run/wrappers/bin', '/run/current-system/sw/bin', '/run/current-system/profile/bin'],
  ...['/nix/var/nix/profiles/default/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin'],
];

/** The PATH of programs that we start ourselves, outside every sandbox. */
export const SYSTEM_PATH = SYSTEM_FOLDERS.join(delimiter);

/**
 * A program that we start ourselves, outside every sandbox. Never from our PATH: a `.venv/bin` on it may lie in a folder where an agent
 * writes, and what it left there would run as us. Nor one that everybody may overwrite.
 */
export function findSystemProgram(name: string, folders: readonly string[] = SYSTEM_FOLDERS): string | undefined {
  const file = folders.map((folder) => join(folder, name)).find((one) => isProgram(one) && !isOpenToAll(one));
  // Sandboxes hide /run, where NixOS keeps links.
  return file?.startsWith('/run/') === true ? realpathSync(file) : file;
}

/** The same for one that every system we run on has. Where it is missing, starting it fails and says so. */
export function systemProgram(name: 'bash' | 'mkfifo'): string {
  return findSystemProgram(name) ?? join('/usr/bin', name);
}

/** The system folder of programs that lies in a folder, if one does: no agent may write there. */
export function systemFolderIn(folder: string): string | undefined {
  return SYSTEM_FOLDERS.find((path) => isInside(folder, path) && isFolder(path));
}

function isOpenToAll(file: string): boolean {
  const real = realpathSync(file);
  return [real, dirname(real), dirname(file)].some((one) => (statSync(one).mode & 0o002) !== 0);
}
