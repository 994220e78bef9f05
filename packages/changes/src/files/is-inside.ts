import { sep } from 'node:path';

/** Whether a path is the folder or inside it. Compares text: both must be absolute, normalized and free of symlinks. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
