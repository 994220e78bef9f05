import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isReservedName } from '@countersign/protocol';

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
 * The folder's real path if it is a project (X1.3). A home folder with dotfiles in Git doesn't count: its agents could read all of its owner's
 * files.
 */
export function projectFolder(folder: string, personal: string = homedir()): string | undefined {
  const real = realPath(folder);
  if (real === undefined || real === dirname(real) || real === realPath(personal)) return undefined;
  return MARKERS.some((marker) => existsSync(join(real, marker))) ? real : undefined;
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

/** The name of a new world for this folder. The folder's name may contain any characters. */
export function worldName(folder: string): string {
  const name = basename(folder)
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{M}\p{N} _-]+/gu, '-')
    .slice(0, 56)
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '');
  if (name === '') return 'Project';
  return isReservedName(name) ? `${name} project` : name;
}
