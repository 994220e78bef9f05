import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import type { ToolContext } from '@countersign/core/ports';
import {
  isGitFolder,
  isInside,
  isRepositoryPart,
  kindOfFolder,
  namedInSettings,
  whyHidden,
} from '@countersign/changes';

/**
 * Rejects writes to files that Git runs or reads as configuration although their paths don't show it; obvious paths need approval instead. If
 * `mayCreate` is set, nobody approved the call.
 */
export async function refuseWhatRuns(
  workingDirectory: string,
  path: string,
  mayCreate?: ToolContext['mayCreate'],
): Promise<void> {
  const name = relative(workingDirectory, path);
  if (name.split(sep).some(isGitFolder)) return;
  const { paths, inDotFolders, known } = await namedInSettings(workingDirectory, foldersTo(workingDirectory, path));
  if (paths.some((one) => isInside(one, name)))
    throw new Error(`"${name}" is named in Git's configuration and runs automatically; only a person may change it`);
  // The gate has already checked the file under its own name (CHANGE4).
  if (mayCreate?.(path) === false && !existsSync(path) && whyHidden(name, inDotFolders) === 'new-linked')
    throw new Error(
      `"${name}" does not exist yet, and a link puts it into a dot-folder, where a program may run it automatically. A person can allow it with the rule: allow write_file(./${name})`,
    );
  if (!known && (await isExecutable(path)))
    throw new Error(
      `"${name}" is executable, and Git's configuration can't be read, so it may be a hook. Only a person may change it`,
    );
  for (let at = path; at !== workingDirectory; at = dirname(at)) {
    const there = await readdir(dirname(at)).catch(() => []);
    if (isRepositoryPart(relative(dirname(at), at), kindOfFolder(there)))
      throw new Error(`"${name}" belongs to a repository and may make Git run something; only a person may change it`);
  }
}

function foldersTo(workingDirectory: string, path: string): string[] {
  const found = [workingDirectory];
  for (let at = dirname(path); isInside(workingDirectory, at) && at !== workingDirectory; at = dirname(at))
    found.push(at);
  return found;
}

async function isExecutable(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && stats.isFile() && (stats.mode & 0o111) !== 0;
}
