import { realpath } from 'node:fs/promises';
import { isInside } from '../files/is-inside.js';
import type { Confinement } from './sandbox.js';

/** Whether a folder contains our own files, is inside one of their folders, or contains the whole home folder. */
export function isReserved(path: string, { home, hide }: Pick<Confinement, 'home' | 'hide'>): boolean {
  return [...hide, home].some((other) => isInside(path, other)) || hide.some((other) => isInside(other, path));
}

/**
 * Real paths of the folders that rules open for reading. Throws for our own files, the whole home folder, and paths that another rule hides.
 */
export async function openFolders(
  folders: readonly string[],
  { home, hide }: Pick<Confinement, 'home' | 'hide'>,
  isClosed: (path: string) => boolean,
): Promise<string[]> {
  const opened: string[] = [];
  for (const folder of folders) {
    const path = await realpath(folder).catch(() => undefined);
    if (path === undefined) continue;
    if (isReserved(path, { home, hide }) || isClosed(path)) {
      throw new Error(`a rule lets commands read ${folder}, which contains files they must not reach; change the rule`);
    }
    opened.push(path);
  }
  return opened;
}
