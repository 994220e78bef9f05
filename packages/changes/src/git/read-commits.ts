import type { Buffer } from 'node:buffer';
import { toName } from '../files/file-names.js';
import { oidSchema } from './refs.js';
import { revisions, type Quarantine } from './read-draft.js';
import { GitFailed, sandboxScript, type InSandbox } from './run-git.js';

/** A path of a tree that differs between two commits. */
export interface TreePath {
  /** As in `readNames`: bytes that aren't UTF-8 are lone surrogates. */
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** Git's modes, such as `100644`. `000000`: no such path. */
  readonly was: string;
  readonly mode: string;
}

export interface NewCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly message: string;
  /** What it changes. For a merge, only what differs from all of its parents. */
  readonly paths: readonly TreePath[];
}

/** A run with more commits or paths isn't read to its end. */
const MAX_COMMITS = 20_000;
const MAX_PATHS = 500_000;

const AT = { objects: '/tmp/new', around: '/tmp/around' };
const REPOSITORY = `
git $ALL init -q --bare --template= --object-format="$1" /tmp/git
export GIT_DIR=/tmp/git GIT_OBJECT_DIRECTORY=${AT.objects} GIT_ALTERNATE_OBJECT_DIRECTORIES=${AT.around}
`;

const LOG = `${REPOSITORY}
git $ALL log --stdin -z --topo-order --reverse --no-show-signature --no-notes --no-mailmap --no-decorate --encoding=UTF-8 \\
  --format='%H%x00%P%x00%an <%ae>%x00%B'
`;
const COMMIT_PATHS = `${REPOSITORY}
git $ALL diff-tree --stdin --root -c -r -z --raw --no-abbrev --no-renames --no-ext-diff --no-textconv --ignore-submodules=none
`;
const MOVED_PATHS = `${REPOSITORY}
while read -r from to; do
  git $ALL diff-tree -r -z --raw --no-abbrev --no-renames --no-ext-diff --no-textconv --ignore-submodules=none "$from" "$to"
  printf '%s\\0' "$from"
done
`;

/** Reads checked objects in a sandbox that sees nothing else. */
interface Reading {
  readonly inSandbox: InSandbox;
  readonly format: string;
  readonly quarantine: Quarantine;
}

async function read({ inSandbox, format, quarantine }: Reading, script: string, input: string): Promise<Buffer> {
  const show = [
    { from: `${quarantine.gitFolder}/objects`, at: AT.objects },
    { from: quarantine.around, at: AT.around },
  ];
  return await inSandbox(sandboxScript(script, [format]), { show, input });
}

/** The commits that the tips reach and `known` doesn't, oldest first. */
export async function readCommits(
  reading: Reading,
  { tips, known }: { tips: readonly string[]; known: readonly string[] },
): Promise<NewCommit[]> {
  const text = String(await read(reading, LOG, revisions(tips, known)));
  const fields = text.split('\0');
  const found: Omit<NewCommit, 'paths'>[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [id = '', parents = '', author = '', message = ''] = fields.slice(at, at + 4);
    if (!oidSchema.safeParse(id).success) throw new GitFailed('a commit of the run could not be read');
    found.push({ id, parents: parents.split(' ').filter((one) => one !== ''), author, message: message.trimEnd() });
  }
  if (found.length > MAX_COMMITS) throw new GitFailed(`the run made more than ${MAX_COMMITS} commits`);
  if (found.length === 0) return [];
  const listed = await read(reading, COMMIT_PATHS, found.map(({ id }) => `${id}\n`).join(''));
  const ids = new Set(found.map(({ id }) => id));
  const paths = parsePaths(listed, (token) => ids.has(token));
  return found.map((commit) => ({ ...commit, paths: paths.get(commit.id) ?? [] }));
}

/** The paths that differ between the old and the new target of each ref, in the same order. */
export async function readMoves(
  reading: Reading,
  moves: readonly { readonly from: string; readonly to: string }[],
): Promise<TreePath[][]> {
  if (moves.length === 0) return [];
  const listed = await read(reading, MOVED_PATHS, moves.map(({ from, to }) => `${from} ${to}\n`).join(''));
  const all: TreePath[][] = [];
  let paths: TreePath[] = [];
  for (const token of tokensOf(listed)) {
    if (typeof token !== 'string') paths.push(token);
    else {
      all.push(paths);
      paths = [];
    }
  }
  if (all.length !== moves.length) throw new GitFailed('the moved refs could not be compared');
  return all;
}

function parsePaths(listed: Buffer, isCommit: (token: string) => boolean): Map<string, TreePath[]> {
  const found = new Map<string, TreePath[]>();
  let now: TreePath[] = [];
  for (const token of tokensOf(listed)) {
    if (typeof token !== 'string') now.push(token);
    else if (!isCommit(token)) throw new GitFailed('the paths of a commit could not be read');
    else found.set(token, (now = found.get(token) ?? []));
  }
  return found;
}

/** Raw lines with their paths, and all other texts between NULs. */
function* tokensOf(listed: Buffer): Generator<TreePath | string> {
  let count = 0;
  let at = 0;
  const next = (): Buffer | undefined => {
    const end = listed.indexOf(0, at);
    if (end === -1) return undefined;
    const part = listed.subarray(at, end);
    at = end + 1;
    return part;
  };
  for (let token = next(); token !== undefined; token = next()) {
    const text = token.toString('latin1');
    if (!text.startsWith(':')) {
      yield text;
      continue;
    }
    const path = next();
    if (path === undefined) throw new GitFailed('the paths of a commit could not be read');
    count += 1;
    if (count > MAX_PATHS) throw new GitFailed(`the commits of the run change more than ${MAX_PATHS} paths`);
    yield treePath(text, toName(path));
  }
}

/** `:MODE MODE OID OID STATUS`, with a further colon, mode and object for each further parent of a merge. */
function treePath(raw: string, path: string): TreePath {
  const parents = /^:+/.exec(raw)?.[0].length ?? 1;
  const modes = raw
    .slice(parents)
    .split(' ')
    .slice(0, parents + 1);
  const mode = modes.at(-1) ?? '';
  const was = modes.slice(0, -1).find((one) => one !== NONE) ?? NONE;
  return { path, was, mode, change: was === NONE ? 'added' : mode === NONE ? 'removed' : 'changed' };
}

const NONE = '000000';
