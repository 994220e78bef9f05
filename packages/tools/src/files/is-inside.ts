import { sep } from 'node:path';

/** Whether a path is the folder or lies in it. By text: both must be absolute, normalised and without links. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
