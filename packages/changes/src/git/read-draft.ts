import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseRefFiles, type Refs } from './refs.js';
import { runGit, sandboxScript, type GitOptions, type InSandbox } from './run-git.js';

/** Links aren't followed, and no file of a ref is longer than this. */
const LIST_REFS = `
[ -d .git ] && [ ! -L .git ] || { echo 'the draft has no Git folder' >&2; exit 1; }
cd .git
plain() { if [ -f "$1" ] && [ ! -L "$1" ]; then head -c "$2" "$1"; fi; printf '\\0'; }
plain HEAD 1000
plain packed-refs 100000000
[ -d refs ] && [ ! -L refs ] || exit 0
find refs -type f -size -3 -exec sh -c 'for file; do printf "%s\\0" "$file"; cat "$file"; printf "\\0"; done' sh {} +
`;

/**
 * The refs when the run started, and at its end as the program saw them: without what others moved meanwhile. All of it may be made up: only
 * objects that were checked are ever used.
 */
export async function readDraftRefs(inSandbox: InSandbox): Promise<{ base: DraftRefFiles; drafted: DraftRefFiles }> {
  const read = async (draft: 'start' | 'refs'): Promise<DraftRefFiles> =>
    parseRefFiles(String(await inSandbox(sandboxScript(LIST_REFS), { draft })));
  return { base: await read('start'), drafted: await read('refs') };
}

type DraftRefFiles = Omit<Refs, 'format'>;

/** A repository in the sandbox's `/tmp` that has the draft's objects and nothing else of it: no configuration, hooks, grafts or shallow list. */
const COPY = `
git $ALL init -q --bare --template= --object-format="$1" /tmp/git
export GIT_OBJECT_DIRECTORY="$PWD/.git/objects" GIT_DIR=/tmp/git
existing() { git $ALL cat-file --batch-check='%(objectname)' | grep -v missing || true; }
`;

/** Objects that the folder has are left out. Ids that the draft made up are skipped, and noticed when the pack was checked. */
const PACK = `${COPY}
cat > /tmp/wanted
sed -n 's/^old //p' /tmp/wanted | existing > /tmp/old
sed -n 's/^new //p' /tmp/wanted | existing > /tmp/new
{ cat /tmp/new; echo --not; cat /tmp/old; } |
  git $ALL pack-objects -q --revs --stdout --delta-base-offset --no-use-bitmap-index
`;

/** Writes the objects that `wanted` needs beyond those of `known` into a file. The draft may have put anything into it. */
export async function packDraft(
  inSandbox: InSandbox,
  {
    format,
    wanted,
    known,
    to,
  }: { format: Refs['format']; wanted: readonly string[]; known: readonly string[]; to: string },
): Promise<void> {
  const lines = [...wanted.map((oid) => `new ${oid}`), ...known.map((oid) => `old ${oid}`)];
  const input = lines.map((line) => `${line}\n`).join('');
  await inSandbox(sandboxScript(PACK, [format]), { draft: 'now', input, to });
}

/** A repository of ours with the objects of one pack. It also sees those of the folder, and nothing else of either. */
export interface Quarantine {
  readonly gitFolder: string;
  /** The objects of the folder. */
  readonly around: string;
}

export const PACK_FILE = 'git.pack';

/** Checks every object in the draft's pack. Rejects with `GitFailed` if one is broken or dangerous. */
export async function openQuarantine(
  root: string,
  workingDirectory: string,
  { format, tips }: { format: Refs['format']; tips: readonly string[] },
): Promise<Quarantine> {
  const gitFolder = join(root, 'git');
  await rm(gitFolder, { recursive: true, force: true });
  await runGit(['init', '-q', '--bare', '--template=', `--object-format=${format}`, gitFolder]);
  const quarantine = { gitFolder, around: join(workingDirectory, '.git', 'objects') };
  if (tips.length === 0) return quarantine;
  await indexPack(join(root, PACK_FILE), objectsOf(quarantine), gitFolder);
  return quarantine;
}

/** Rejects with `GitFailed` if an object that the tips reach is missing. */
export async function checkQuarantine(
  quarantine: Quarantine,
  reached: { tips: readonly string[]; known: readonly string[] },
): Promise<void> {
  await checkLinks(objectsOf(quarantine), quarantine.gitFolder, reached);
}

/** Checks the objects of a pack with Git's strictest settings while it stores them. */
export async function indexPack(
  pack: string,
  env: Record<string, string>,
  gitFolder: string,
  more: readonly string[] = [],
): Promise<void> {
  const { size } = await stat(pack);
  const words = ['index-pack', '--strict', '--stdin', '--fix-thin', `--max-input-size=${size + 1}`, ...more];
  await runGit([`--git-dir=${gitFolder}`, ...words], { env, from: pack });
}

/** Rejects with `GitFailed` if an object that the tips reach is missing. */
export async function checkLinks(
  env: Record<string, string>,
  gitFolder: string,
  { tips, known }: { tips: readonly string[]; known: readonly string[] },
): Promise<void> {
  const input = revisions(tips, known);
  await runGit([`--git-dir=${gitFolder}`, 'rev-list', '--objects', '--quiet', '--stdin'], { env, input });
}

/** Packs the objects that the tips reach and `known` doesn't. Returns false if there are none. */
export async function packQuarantine(
  quarantine: Quarantine,
  { tips, known, to }: { tips: readonly string[]; known: readonly string[]; to: string },
): Promise<boolean> {
  const input = revisions(tips, known);
  const words = ['pack-objects', '-q', '--revs', '--stdout', '--delta-base-offset', '--no-use-bitmap-index'];
  await runGit([`--git-dir=${quarantine.gitFolder}`, ...words], { env: objectsOf(quarantine), input, to });
  return await holdsObjects(to);
}

/** Bytes 8 to 11 of a pack are the number of its objects. */
export async function holdsObjects(pack: string): Promise<boolean> {
  const handle = await open(pack, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    return bytesRead === 12 && buffer.readUInt32BE(8) > 0;
  } finally {
    await handle.close();
  }
}

/** What `tips` reach and `known` don't. Git 2.39 reads no `--not` here. */
export function revisions(tips: readonly string[], known: readonly string[]): string {
  return [...tips, ...known.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
}

/** Runs Git with the checked objects. */
export async function inQuarantine(
  quarantine: Quarantine,
  words: readonly string[],
  { env, ...options }: Pick<GitOptions, 'input' | 'env' | 'cwd'> = {},
): Promise<string> {
  const all = { ...objectsOf(quarantine), ...env };
  return String(await runGit([`--git-dir=${quarantine.gitFolder}`, ...words], { ...options, env: all }));
}

function objectsOf({ gitFolder, around }: Quarantine): Record<string, string> {
  return objectFolders(join(gitFolder, 'objects'), around);
}

/** Where Git writes objects, and where it finds others. */
export function objectFolders(objects: string, around: string): Record<string, string> {
  // Quoted, because a colon would separate two folders.
  return { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(around) };
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
