import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside } from '../../files/is-inside.js';
import { isSecretFolder } from './secret-names.js';

/** Names of folders that hold nothing but programs; what these need lies beside them. */
const PROGRAM_FOLDERS: readonly string[] = ['bin', 'sbin', 'shims'];

/** Folders in a home that hold programs beside much else. */
const SHARED: readonly string[] = ['.local', '.cache', '.local/share', '.local/lib', '.local/state'];

/** Folders of a home that belong to a version manager as a whole. Of others only their program folder is shown: they may hold tokens. */
const VERSION_MANAGERS: readonly string[] =
  `.pyenv .rbenv .nodenv .goenv .jenv .nvm .fnm .volta .asdf .bun .deno .sdkman .rye .pixi .npm-global .linuxbrew .juliaup .ghcup
   .elan .proto .dotnet .swiftly .opam`.split(/\s+/);

/**
 * The folder that a program in `folder` was installed to, with all that it needs, as small as can be told. `folder` is real and lies in
 * `home`. Undefined: that would be a project of the person's, or hold more than programs.
 */
export function installPrefix(home: string, folder: string): string | undefined {
  if (!isInside(home, folder) || folder === home) return undefined;
  const names = relative(home, folder).split(sep);
  if (names.some(isSecretFolder) || names[0] === '.config') return undefined;
  // People don't keep their own work in hidden folders.
  const isHidden = names.some((name) => name.startsWith('.'));
  const modules = names.indexOf('node_modules');
  if (modules > 0) return isHidden ? join(home, ...names.slice(0, modules + 1)) : undefined;
  if (!PROGRAM_FOLDERS.includes(basename(folder))) return undefined;
  const prefix = dirname(folder);
  const name = relative(home, prefix);
  if (prefix === home || SHARED.includes(name)) return undefined;
  const isKnown = names.length === 2 ? VERSION_MANAGERS.includes(name) : isHidden;
  return isKnown || looksInstalled(prefix) ? prefix : undefined;
}

/** As unpacked archives of Node, Go or Conda look. A project has a repository. */
function looksInstalled(prefix: string): boolean {
  const has = (name: string): boolean => existsSync(join(prefix, name));
  return has('lib') && (has('include') || has('share')) && !['.git', '.hg', '.jj', '.svn'].some(has);
}
