import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isGitFolder, isGitSetting, runsByItself } from '../runs-later.js';

/** `hooksPath` from any section: only one has it. `path` is a setting of `include` and `includeIf` alone. */
const NAMING = /^\s*(?:hookspath|path)\s*=\s*(.+?)\s*$/gim;

/**
 * Paths in the working folder, from it, that run later without having such a name: what Git's settings there name as hooks or as
 * further settings, and where links lead that have such a name. Settings outside the folder are not looked at.
 */
export async function namedInSettings(workingDirectory: string): Promise<string[]> {
  const git = join(workingDirectory, '.git');
  const text = await readFile(join(git, 'config'), 'utf8').catch(() => '');
  const written = [...text.matchAll(NAMING)].map(([, value = '']) => value.replaceAll('"', ''));
  const links = [
    ...(await linksIn(workingDirectory, (name) => isGitFolder(name) || runsByItself(name))),
    ...(await linksIn(git, isGitSetting)),
  ];
  return [
    // Hooks are looked for from the working tree, included files from the file that includes them.
    ...written.flatMap((path) => [resolve(workingDirectory, path), resolve(git, path)]),
    ...links,
  ].map((path) => relative(workingDirectory, path));
}

async function linksIn(folder: string, isMeant: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink() && isMeant(entry.name));
  const found = await Promise.all(links.map(({ name }) => realpath(join(folder, name)).catch(() => undefined)));
  return found.filter((path) => path !== undefined);
}
