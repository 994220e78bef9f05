import { homedir } from 'node:os';
import { realPath } from '../../files/probe.js';
import type { Confinement } from '../sandbox.js';
import { findPrograms, type Programs } from './find-programs.js';

/** The programs on our own PATH that a sandbox shows. `writable`: further folders in which agents write. */
export function programsFor(
  { home, hide, workingDirectory }: Pick<Confinement, 'home' | 'hide' | 'workingDirectory'>,
  writable: readonly string[],
): Programs {
  const avoid = [workingDirectory, ...hide, ...writable.map(realOf)];
  return findPrograms({ path: process.env['PATH'] ?? '', home, avoid });
}

/** For a person: what of their home a sandbox shows so that the programs on their PATH run. */
export function homePrograms(hide: readonly string[]): string[] {
  const home = realOf(homedir());
  const { shown } = findPrograms({ path: process.env['PATH'] ?? '', home, avoid: hide.map(realOf) });
  return shown.map((path) => `~${path.slice(home.length)}`).sort();
}

/** A folder that is not there yet is meant as it is written. */
function realOf(path: string): string {
  return realPath(path) ?? path;
}
