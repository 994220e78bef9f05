import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isInside } from '@countersign/changes';
import type { Confinement } from './sandbox.js';

/** Whether a folder contains our own files, is inside one of their folders, or contains the whole home folder. */
export function isReserved(path: string, { home, hide }: Pick<Confinement, 'home' | 'hide'>): boolean {
  return [...hide, home].some((other) => isInside(path, other)) || hide.some((other) => isInside(other, path));
}

/**
 * Real paths of the folders that rules open for reading. Throws for our own files, the whole home folder, paths that another rule hides, and links
 * that agents could have created. `writable`: folders that agents write to, by their real paths.
 */
export async function openFolders(
  folders: readonly string[],
  { home, hide, writable }: Pick<Confinement, 'home' | 'hide'> & { writable: readonly string[] },
  isClosed: (path: string) => boolean,
): Promise<string[]> {
  const opened: string[] = [];
  for (const folder of folders) {
    const path = await realpath(folder).catch(() => undefined);
    if (path === undefined) continue;
    if (isReserved(path, { home, hide }) || isClosed(path) || (await isLedOut(folder, path, writable))) {
      throw new Error(`a rule lets commands read ${folder}, which contains files they must not reach; change the rule`);
    }
    opened.push(path);
  }
  return opened;
}

/** Whether the path to a folder leads through a folder that agents write to, and out of it by a link (SAFE5.4). */
export async function isLedOut(folder: string, path: string, writable: readonly string[]): Promise<boolean> {
  const left = writable.filter((each) => !isInside(each, path));
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const real = await realpath(above);
    if (left.some((each) => isInside(each, real))) return true;
  }
  return false;
}
