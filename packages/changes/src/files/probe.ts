import { Buffer } from 'node:buffer';
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';

/** The real path. Undefined if the path doesn't exist or isn't accessible. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Follows symlinks. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether the path is a file that we may execute. Follows symlinks. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether the file is a script or a native binary. On some disks, every file has the executable bit. */
export function isRunnable(path: string): boolean {
  if (!isProgram(path)) return false;
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const head = Buffer.alloc(4);
    readSync(file, head, 0, 4, 0);
    return head.subarray(0, 2).toString('latin1') === '#!' || BINARIES.has(head.toString('hex'));
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Magic numbers: ELF, Mach-O and universal Mach-O. */
const BINARIES: ReadonlySet<string> = new Set(['7f454c46', 'cffaedfe', 'cafebabe']);
