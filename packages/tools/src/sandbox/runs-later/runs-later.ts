import { relative, sep } from 'node:path';

/**
 * What other programs run by themselves, outside every sandbox, on behalf of the person: hooks and settings of Git, tasks of
 * editors, environments of shells, servers of other agents (A20). Who may write here unasked has signed for the person. What a
 * person starts knowingly (`make`, `npm test`) is not here: see SECURITY.md.
 */
export const NAMES: ReadonlySet<string> = new Set(
  `.githooks .husky lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml .pre-commit-config.yaml
   .hg .jj .sl .bzr
   .vscode .idea .zed .fleet .vs .devcontainer .devcontainer.json .gitpod.yml .exrc .nvim.lua .nvimrc .vimrc
   .claude .cursor .codex .gemini .windsurf .continue .opencode .kiro .amazonq .mcp.json
   .envrc .direnv .autoenv .autoenv.zsh`.split(/\s+/),
);

/** In a repository's own folder these make Git run programs, or take its settings from elsewhere. The rest changes with every commit. */
export const SETTINGS: ReadonlySet<string> = new Set([
  'config',
  'config.worktree',
  'hooks',
  'modules',
  'worktrees',
  'commondir',
  'gitdir',
]);

/** The name that makes a path one that runs later, or undefined. By text alone, in any case: some disks don't tell `.GIT` from `.git`. */
export function runsLater(workingDirectory: string, path: string): string | undefined {
  const segments = relative(workingDirectory, path).split(sep);
  const found = segments.find((segment) => isGitFolder(segment) || runsByItself(segment));
  return found ?? segments.slice(-1).find(isHead);
}

export function runsByItself(name: string): boolean {
  const known = plain(name);
  return NAMES.has(known) || known.endsWith('.code-workspace');
}

export function isGitFolder(name: string): boolean {
  const known = plain(name);
  // How Windows' disks also call it.
  return known === '.git' || /^git~\d+$/.test(known);
}

export function isGitSetting(name: string): boolean {
  return SETTINGS.has(plain(name));
}

/** Git's own file that says where a repository stands. Beside `objects` and `refs` it turns any folder into a repository. */
export function isHead(name: string): boolean {
  return plain(name) === 'head';
}

/** Whether this name would help to make a repository of a folder with those names in it, or is a setting of one that it is. */
export function isRepositoryPart(name: string, there: readonly string[]): boolean {
  if (looksLikeRepository(there)) return isGitSetting(name);
  return there.some(isHead) && ['objects', 'refs', 'commondir'].includes(plain(name));
}

/** Whether Git would take a folder with these names in it for a repository. */
export function looksLikeRepository(names: readonly string[]): boolean {
  const there = new Set(names.map(plain));
  return there.has('head') && (there.has('commondir') || (there.has('objects') && there.has('refs')));
}

/** HFS+ reads a name without the characters nobody sees; Git was once fooled by it. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase();
}
