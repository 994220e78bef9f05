import { readdir } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { namedInSettings } from '../sandbox/draft/named-in-settings.js';
import { isGitFolder, isRepositoryPart } from '../sandbox/runs-later.js';
import { isInside } from './is-inside.js';

/**
 * Refuses a write that Git would run, or take as settings, though its path does not say so: settings of a repository that is not
 * called `.git`, and what the settings of the working folder's own repository name. Where the path says so, a person is asked instead.
 */
export async function refuseWhatRuns(workingDirectory: string, path: string): Promise<void> {
  const name = relative(workingDirectory, path);
  if (name.split(sep).some(isGitFolder)) return;
  if ((await namedInSettings(workingDirectory)).some((one) => one !== '' && isInside(one, name)))
    throw new Error(`"${name}" is named in Git's settings and runs by itself; only a person may change it`);
  for (let at = path; at !== workingDirectory; at = dirname(at)) {
    const there = await readdir(dirname(at)).catch(() => []);
    if (isRepositoryPart(relative(dirname(at), at), there))
      throw new Error(`"${name}" belongs to a repository and may make Git run something; only a person may change it`);
  }
}
