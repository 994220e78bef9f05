import { cp, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { codeOf } from '../files/move.js';
import { runGit } from './run-git.js';

export const oidSchema = z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/);

/** The refs of a repository, and where its HEAD points. */
const refsSchema = z.strictObject({
  format: z.enum(['sha1', 'sha256']),
  /** By full name. Symbolic refs are left out. */
  refs: z.record(z.string(), oidSchema),
  /** Refs that point to other refs, and these. */
  symbolic: z.record(z.string(), z.string()),
  /** The full name of the current branch, or a commit. Undefined if it can't be read. */
  head: z.string().exactOptional(),
});
export type Refs = z.infer<typeof refsSchema>;

const LONGEST_REF = 300;

/** Reads the files of a repository's refs: `HEAD`, `packed-refs`, then name and content of each file in `refs`, with a NUL after each. */
export function parseRefFiles(listed: string): Omit<Refs, 'format'> {
  const [head = '', packed = '', ...loose] = listed.split('\0');
  const refs = new Map<string, string>();
  const symbolic = new Map<string, string>();
  for (const line of packed.split('\n')) {
    const [, oid, name] = /^([\da-f]{40}|[\da-f]{64}) (refs\/.+)$/.exec(line) ?? [];
    if (oid !== undefined && name !== undefined) refs.set(name, oid);
  }
  for (let at = 0; at + 1 < loose.length; at += 2) {
    const [name = '', content = ''] = [loose[at], loose[at + 1]?.trim()];
    // A file with a NUL in it pretends to be several, with any names.
    if (!name.startsWith('refs/') || name.length > LONGEST_REF || name.endsWith('.lock')) continue;
    if (content.startsWith('ref:')) symbolic.set(name, content.slice(4).trim());
    else if (oidSchema.safeParse(content).success) refs.set(name, content);
  }
  for (const name of symbolic.keys()) refs.delete(name);
  const points = head.trim().replace(/^ref:\s*/, '');
  return {
    refs: Object.fromEntries(refs),
    symbolic: Object.fromEntries(symbolic),
    ...(points === '' ? {} : { head: points }),
  };
}

/** `here`: a folder that is the repository's own. `elsewhere`: a file or link, as in worktrees and submodules. */
export async function findGitFolder(folder: string): Promise<'none' | 'here' | 'elsewhere'> {
  const stats = await lstat(join(folder, '.git')).catch(() => undefined);
  if (stats === undefined) return 'none';
  return stats.isDirectory() ? 'here' : 'elsewhere';
}

/** Why Git changes of a run in this folder can't be applied, or undefined. */
export async function whyNoGit(folder: string): Promise<'worktree' | 'alternates' | 'reftable' | undefined> {
  const has = async (...names: string[]): Promise<boolean> =>
    (await lstat(join(folder, '.git', ...names)).catch(() => undefined)) !== undefined;
  if ((await findGitFolder(folder)) === 'elsewhere' || (await has('commondir'))) return 'worktree';
  if (await has('objects', 'info', 'alternates')) return 'alternates';
  return (await has('reftable')) ? 'reftable' : undefined;
}

const REF_FORMAT = '%(refname)%00%(objectname)%00%(symref)%00';

/** The refs of the repository in a folder. Runs outside the sandbox, so only for a folder that no agent has written to. */
export async function readRefs(folder: string): Promise<Refs> {
  const git = (...words: string[]): Promise<string> =>
    runGit([...inRepository(folder), ...words], { codes: [1] }).then(String);
  const [format, listed, branch, commit] = await Promise.all([
    git('rev-parse', '--show-object-format'),
    git('for-each-ref', `--format=${REF_FORMAT}`),
    git('symbolic-ref', '-q', 'HEAD'),
    git('rev-parse', '-q', '--verify', 'HEAD'),
  ]);
  const refs: [string, string][] = [];
  const symbolic: [string, string][] = [];
  const fields = listed.split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = '', oid = '', target = ''] = fields.slice(at, at + 3);
    if (target === '') refs.push([name.trimStart(), oid]);
    else symbolic.push([name.trimStart(), target]);
  }
  const head = branch.trim() === '' ? commit.trim() : branch.trim();
  return {
    format: format.trim() === 'sha256' ? 'sha256' : 'sha1',
    refs: Object.fromEntries(refs),
    symbolic: Object.fromEntries(symbolic),
    ...(head === '' ? {} : { head }),
  };
}

/** Beside `upper`: the refs of the folder when the run started. */
export const START = 'start';

/** Keeps the refs of a folder, as they are on disk. What others move from now on is not part of the run's change. */
export async function keepStartRefs(root: string, folder: string): Promise<void> {
  const [from, to] = [join(folder, '.git'), join(root, START, '.git')];
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of ['HEAD', 'packed-refs', 'refs'])
    await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true }).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
}

export function inRepository(folder: string): string[] {
  return [`--git-dir=${join(folder, '.git')}`, `--work-tree=${folder}`];
}

const LONGEST_NAME = 200;

/** Whether a ref is a branch or tag with a name that means one thing everywhere: to Git, on a card and on other disks. */
export function isMovable(name: string): boolean {
  const [, kind, short = ''] = /^refs\/(heads|tags)\/(.+)$/s.exec(name) ?? [];
  if (kind === undefined || name.length > LONGEST_NAME || !/^[\p{L}\p{N}_./+=@#%-]+$/u.test(short)) return false;
  const parts = short.split('/');
  if (parts.some((part) => part === '' || /^[.-]|\.$|\.lock$/i.test(part)) || /\.\.|@\{/.test(short)) return false;
  return !/^(?:@|head|fetch_head|orig_head|merge_head|[\da-f]{40}|[\da-f]{64})$/i.test(short);
}
