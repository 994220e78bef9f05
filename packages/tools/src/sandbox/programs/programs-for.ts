import { homedir } from 'node:os';
import { realPath } from '@countersign/changes';
import type { Confinement } from '../sandbox.js';
import { findPrograms, type Programs } from './find-programs.js';

/** The programs on our PATH that a sandbox makes visible. `writable`: additional folders that agents write to. */
export function programsFor(
  { home, hide, workingDirectory }: Pick<Confinement, 'home' | 'hide' | 'workingDirectory'>,
  writable: readonly string[],
): Programs {
  const avoid = [workingDirectory, ...hide, ...writable.map(realOf)];
  return findPrograms({ path: process.env['PATH'] ?? '', home, avoid });
}

/** For a person: the parts of their home folder that a sandbox makes visible so that the programs on PATH run. */
export function homePrograms(hide: readonly string[]): string[] {
  const home = realOf(homedir());
  const { shown } = findPrograms({ path: process.env['PATH'] ?? '', home, avoid: hide.map(realOf) });
  return shown.map((path) => `~${path.slice(home.length)}`).sort();
}

/** The path of a folder that doesn't exist yet is used as written. */
function realOf(path: string): string {
  return realPath(path) ?? path;
}
