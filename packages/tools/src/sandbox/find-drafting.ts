import { execFile } from 'node:child_process';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { bubblewrapBase, type Bubblewrap } from './bubblewrap-arguments.js';
import type { Drafting } from './draft/drafting.js';
import { makeCallFolder, makeDraftsFolder, openDraft, sweepDrafts } from './draft/open-draft.js';
import { removeTree } from './draft/remove-tree.js';
import { startArguments } from './start-arguments.js';

const run = promisify(execFile);

/** Long enough for a busy machine: giving up too early would select a weaker sandbox, or none. */
export const TRY_MS = 60_000;

/** Finds out how to create drafts on this system by creating one. Throws the last error if no method works. */
export async function findDrafting(
  bubblewrap: Omit<Bubblewrap, 'kind' | 'drafting'>,
  find: (name: string) => string | undefined,
): Promise<Drafting> {
  const [unshare, mount, bash, flock] = ['unshare', 'mount', 'bash', 'flock'].map(find);
  if (flock === undefined) throw new Error('the program flock is not installed (package "util-linux")');
  let said: unknown = new Error('there is no folder for drafts');
  for (const folder of await draftFolders()) {
    await sweepDrafts({ folder, flock });
    const mounted: Drafting[] =
      unshare === undefined || mount === undefined || bash === undefined
        ? []
        : mountWays().map(([words, options]) => ({
            ...{ how: 'mount', unshare: [unshare, ...words], mount, bash, options, folder, flock },
          }));
    for (const drafting of [...mounted, { how: 'bubblewrap', program: bubblewrap.program, folder, flock } as const]) {
      try {
        await tryDrafting(bubblewrap, drafting);
        return drafting;
      } catch (error) {
        said = error;
      }
    }
  }
  throw said;
}

type Way = readonly [words: readonly string[], options: string];

/** Root doesn't need a user namespace, and inside one it couldn't change other users' files. */
function mountWays(): readonly Way[] {
  const asAnyUser: Way = [['--user', '--map-root-user', '--mount'], ',userxattr'];
  return process.getuid?.() === 0 ? [[['--mount'], ''], asAnyUser] : [asAnyUser];
}

/**
 * Folders for drafts, preferably on the same disk as the user's projects: applying a draft is then a rename. Commands can't see any of these
 * folders.
 */
export async function draftFolders(): Promise<string[]> {
  const cache = process.env['XDG_CACHE_HOME'] ?? '';
  const wanted = [isAbsolute(cache) ? cache : join(homedir(), '.cache'), tmpdir(), '/dev/shm'];
  const found: string[] = [];
  for (const place of wanted) {
    try {
      const folder = join(place, `countersign-drafts-${process.getuid?.() ?? 0}`);
      await makeDraftsFolder(folder);
      found.push(await realpath(folder));
    } catch {
      // This method is not available here.
    }
  }
  return found;
}

/** Tests the method, including the hard part: recognizing a folder that was removed and recreated. */
async function tryDrafting(sandbox: Omit<Bubblewrap, 'kind' | 'drafting'>, drafting: Drafting): Promise<void> {
  const folder = await makeCallFolder(drafting.folder);
  try {
    await mkdir(join(folder, 'old', 'gone'), { recursive: true });
    const draft = await openDraft(drafting, folder);
    try {
      const { before, after } = await startArguments(folder);
      const confined = [sandbox.program, ...after, ...bubblewrapBase(sandbox, { network: 'none' }), ...draft.place];
      const script = ['--chdir', folder, 'sh', '-c', 'rm -r old && mkdir old new'];
      const [program, ...words] = [...before, ...draft.before, ...confined, ...script] as [string, ...string[]];
      await run(program, words, { timeout: TRY_MS, cwd: '/', env: { PATH: '/usr/bin:/bin' } });
      if ((await readdir(folder)).includes('new'))
        throw new Error('a command wrote to the folder instead of the draft');
      await draft.accept();
      const taken = (await readdir(folder)).includes('new') && (await readdir(join(folder, 'old'))).length === 0;
      if (!taken) throw new Error('a draft could not be applied');
    } finally {
      await draft.discard();
    }
  } finally {
    await removeTree(folder);
  }
}
