import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside } from '@countersign/changes';
import { isSecretFolder } from './secret-names.js';

/** Names of folders that contain only programs; what the programs need is next to these folders. */
const PROGRAM_FOLDERS: readonly string[] = ['bin', 'sbin', 'shims'];

/** Folders that belong entirely to a version manager. For others, only the program folder is shown, because they may contain tokens. */
const VERSION_MANAGERS: readonly string[] =
  `.pyenv .rbenv .nodenv .goenv .jenv .nvm .fnm .volta .asdf .bun .deno .sdkman .rye .pixi .npm-global .linuxbrew .juliaup .ghcup
   .elan .proto .dotnet .swiftly .opam .virtualenvs .rubies .jabba`.split(/\s+/);

/** Version manager folders in `.local/share` and `.local`. */
const LOCAL_MANAGERS: readonly string[] =
  `share/mise share/rtx share/fnm share/uv share/pipx share/pnpm share/asdf share/rbenv share/virtualenvs share/pypoetry share/swiftly
   share/gem share/coursier state/fnm_multishells pipx opt`.split(/\s+/);

/** Folders on PATH that contain programs together with the files they need. */
const MIXED_FOLDERS: readonly string[] = ['.local/share/pnpm', '.dotnet/tools'];

/** Folders in a home folder that contain many other things, even if they look like an installation prefix. */
const NEVER_PREFIX: ReadonlySet<string> = new Set(
  `.local .local/share .local/lib .local/state .cache
   Desktop Documents Downloads Music Pictures Public Templates Videos Movies Library Dropbox OneDrive Nextcloud`.split(
    /\s+/,
  ),
);

/** Whether a folder on PATH contains only programs. From other folders, single programs are shown. */
export function isProgramFolder(folder: string): boolean {
  return PROGRAM_FOLDERS.includes(basename(folder));
}

/**
 * The smallest folder that contains the installation of a program in `folder`, a real path inside `home`. Undefined if it is unknown or would
 * contain more than programs.
 */
export function installPrefix(home: string, folder: string): string | undefined {
  if (!isInside(home, folder) || folder === home) return undefined;
  const name = relative(home, folder);
  const names = name.split(sep);
  if (names.some(isSecretFolder) || names.includes('.config')) return undefined;
  const modules = names.indexOf('node_modules');
  if (modules > 0) {
    // People don't keep their own work in hidden folders.
    const isHidden = names.some((one) => one.startsWith('.'));
    return isHidden ? join(home, ...names.slice(0, modules + 1)) : undefined;
  }
  if (MIXED_FOLDERS.includes(name)) return isManager(dirname(name)) ? join(home, dirname(name)) : folder;
  if (!isProgramFolder(folder)) return undefined;
  const prefix = dirname(folder);
  if (isManager(relative(home, prefix))) return prefix;
  return prefix !== home && !NEVER_PREFIX.has(relative(home, prefix)) && looksInstalled(prefix) ? prefix : undefined;
}

/** `name` is relative to the home folder. */
function isManager(name: string): boolean {
  const names = name.split(sep);
  if (VERSION_MANAGERS.includes(names[0] ?? '')) return true;
  return names[0] === '.local' && LOCAL_MANAGERS.some((one) => isInside(`/${one}`, `/${names.slice(1).join('/')}`));
}

/** Whether a folder looks like an unpacked archive of Node, Go or Conda. A project would have a repository. */
function looksInstalled(prefix: string): boolean {
  const has = (name: string): boolean => existsSync(join(prefix, name));
  return has('lib') && (has('include') || has('share')) && !['.git', '.hg', '.jj', '.svn'].some(has);
}
