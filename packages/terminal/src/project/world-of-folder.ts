import { dirname } from 'node:path';
import type { World } from '@countersign/protocol';
import { realPath } from './project-folder.js';

/** The worlds whose working folder is this folder or its nearest ancestor that has a world. */
export function worldsOf<T extends Pick<World, 'folder'>>(worlds: readonly T[], folder: string): T[] {
  const real = worlds.map((world) => ({
    world,
    path: world.folder === undefined ? undefined : realPath(world.folder),
  }));
  for (let path = realPath(folder); path !== undefined; path = path === dirname(path) ? undefined : dirname(path)) {
    const found = real.filter((one) => one.path === path);
    if (found.length > 0) return found.map(({ world }) => world);
  }
  return [];
}
