import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Confinement } from '../sandbox.js';
import { findPrograms, type Programs } from './find-programs.js';

/** The programs on our own PATH that a sandbox shows. `writable`: further folders in which agents write. */
export function programsFor(
  { home, hide, workingDirectory }: Pick<Confinement, 'home' | 'hide' | 'workingDirectory'>,
  writable: readonly string[],
): Programs {
  const avoid = [workingDirectory, ...hide, ...writable.map(realPath)];
  return findPrograms({ path: process.env['PATH'] ?? '', home, avoid });
}

/** For a person: what of their home a sandbox shows so that the programs on their PATH run. */
export function homePrograms(hide: readonly string[]): string[] {
  const home = realPath(homedir());
  const { shown } = findPrograms({ path: process.env['PATH'] ?? '', home, avoid: hide.map(realPath) });
  return shown.map((path) => `~${path.slice(home.length)}`).sort();
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
