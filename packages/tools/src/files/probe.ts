import { Buffer } from 'node:buffer';
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';

/** Where a path really leads. Undefined: nowhere, or closed to us. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Links are followed. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether it is a file that we may run. Links are followed. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A script or a program of this machine, and not any file on a disk where every file may be run. */
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

/** ELF, and Mach-O for one or several machines. */
const BINARIES: ReadonlySet<string> = new Set(['7f454c46', 'cffaedfe', 'cafebabe']);
