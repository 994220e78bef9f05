import { sep } from 'node:path';

/** Whether a path is the folder or inside it. A text comparison is enough, because both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
