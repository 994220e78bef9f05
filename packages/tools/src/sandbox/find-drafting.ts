import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage } from '@countersign/core/ports';
import { bubblewrapBase, type Bubblewrap } from './bubblewrap-arguments.js';
import type { Drafting } from './draft/drafting.js';
import { applyChange, draftFolders, makeCallFolder, removeTree, sweepFolders } from '@countersign/changes';
import { openDraft } from './draft/open-draft.js';
import { startArguments } from './start-arguments.js';

const run = promisify(execFile);

/** Long enough for a busy machine: giving up too early would select a weaker sandbox, or none. */
export const TRY_MS = 60_000;

/**
 * Finds out how to create drafts on this system by creating one. Copies need more time and space than overlays, so they are tried last. Throws the
 * last error if no method works.
 */
export async function findDrafting(
  bubblewrap: Omit<Bubblewrap, 'kind' | 'drafting'>,
  find: (name: string) => string | undefined,
): Promise<Drafting> {
  const [unshare, mount, bash, flock] = ['unshare', 'mount', 'bash', 'flock'].map(find);
  if (flock === undefined) throw new Error('the program flock is not installed (package "util-linux")');
  const errors: unknown[] = [];
  const works = (drafting: Drafting): Promise<boolean> =>
    tryDrafting(bubblewrap, drafting).then(
      () => true,
      (error: unknown) => {
        errors.push(error);
        return false;
      },
    );
  const folders = await draftFolders();
  for (const folder of folders) {
    await sweepFolders({ folder, flock });
    const mounted: Drafting[] =
      unshare === undefined || mount === undefined || bash === undefined
        ? []
        : mountWays().map(([words, options]) => ({
            ...{ how: 'mount', unshare: [unshare, ...words], mount, bash, options, folder, flock },
          }));
    for (const drafting of [...mounted, { how: 'bubblewrap', program: bubblewrap.program, folder, flock } as const])
      if (await works(drafting)) return drafting;
  }
  // The first one is about the preferred folder and method.
  const reason = saidBy(errors[0]).replaceAll(/\s+/g, ' ');
  for (const folder of folders) {
    const drafting = { how: 'copy', folder, flock, reason } as const;
    if (await works(drafting)) return drafting;
  }
  const last: unknown = errors.at(-1) ?? new Error('there is no folder for drafts');
  throw last;
}

/** The stderr output of a failed program, which explains the failure. */
export function saidBy(error: unknown): string {
  const said = typeof error === 'object' && error !== null ? (Reflect.get(error, 'stderr') as unknown) : undefined;
  if (typeof said === 'string' && said.trim() !== '') return said.trim().slice(0, 300);
  return errorMessage(error).slice(0, 300);
}

type Way = readonly [words: readonly string[], options: string];

/** Root doesn't need a user namespace, and inside one it couldn't change other users' files. */
function mountWays(): readonly Way[] {
  const asAnyUser: Way = [['--user', '--map-root-user', '--mount'], ',userxattr'];
  return process.getuid?.() === 0 ? [[['--mount'], ''], asAnyUser] : [asAnyUser];
}

/**
 * Tests the method, including the hard parts: recognizing a folder that was removed and recreated, and a file that the command didn't change,
 * which needs a disk with precise times.
 */
async function tryDrafting(sandbox: Omit<Bubblewrap, 'kind' | 'drafting'>, drafting: Drafting): Promise<void> {
  const folder = await makeCallFolder(drafting.folder);
  try {
    await mkdir(join(folder, 'old', 'gone'), { recursive: true });
    await writeFile(join(folder, 'same'), '');
    const draft = await openDraft(drafting, folder);
    try {
      const { before, after } = await startArguments(folder);
      const confined = [sandbox.program, ...after, ...bubblewrapBase(sandbox, { network: 'none' }), ...draft.place];
      const script = ['--chdir', folder, 'sh', '-c', 'rm -r old && mkdir old new'];
      const [program, ...words] = [...before, ...draft.before, ...confined, ...script] as [string, ...string[]];
      await run(program, words, { timeout: TRY_MS, cwd: '/', env: { PATH: '/usr/bin:/bin' } });
      if ((await readdir(folder)).includes('new'))
        throw new Error('a command wrote to the folder instead of the draft');
      await draft.accept(async (planned, now) => {
        if ((await readdir(planned.upper)).includes('same'))
          throw new Error('the draft contains a file that the command did not change');
        await applyChange(drafting, planned, now);
      });
      const taken = (await readdir(folder)).includes('new') && (await readdir(join(folder, 'old'))).length === 0;
      if (!taken) throw new Error('a draft could not be applied');
    } finally {
      await draft.discard();
    }
  } finally {
    await removeTree(folder);
  }
}
