import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const MARKERS = [
  '.git',
  '.hg',
  '.jj',
  'package.json',
  'deno.json',
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'Gemfile',
  'composer.json',
  'mix.exs',
  'CMakeLists.txt',
  'Makefile',
];

/**
 * The folder's real path if it is a project (TERM1.3). A home folder with dotfiles in Git doesn't count: its agents could read all of its owner's
 * files.
 */
export function projectFolder(folder: string, personal: string = homedir()): string | undefined {
  const real = realPath(folder);
  if (real === undefined || real === dirname(real) || real === realPath(personal)) return undefined;
  return MARKERS.some((marker) => existsSync(join(real, marker))) ? real : undefined;
}

export function realPath(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}
