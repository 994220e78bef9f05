import { relative, sep } from 'node:path';

/**
 * What other programs run later, outside every sandbox, on behalf of the person: hooks and settings of Git, tasks of editors,
 * environments of shells (A20). Who may write here unasked has signed for the person.
 */
const FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.githooks',
  '.husky',
  '.vscode',
  '.idea',
  '.zed',
  '.fleet',
  '.cursor',
  '.claude',
  '.devcontainer',
]);
const FILES: ReadonlySet<string> = new Set(['.envrc', '.pre-commit-config.yaml', 'lefthook.yml', '.mcp.json']);

/** Inside `.git` everything else stays writable, or nobody could commit. */
export const GIT_FIXED = ['config', 'config.worktree', 'hooks', 'modules'] as const;

/** The name that makes a path one that runs later, or undefined. By text alone, in any case: some disks don't tell `.GIT` from `.git`. */
export function runsLater(workingDirectory: string, path: string): string | undefined {
  return relative(workingDirectory, path)
    .split(sep)
    .find((segment) => isFolderThatRuns(segment) || isFileThatRuns(segment));
}

export function isFolderThatRuns(name: string): boolean {
  return FOLDERS.has(plain(name));
}

export function isFileThatRuns(name: string): boolean {
  const known = plain(name);
  return FILES.has(known) || known.endsWith('.code-workspace');
}

/** HFS+ reads a name without the characters nobody sees; Git was once fooled by it. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase();
}
