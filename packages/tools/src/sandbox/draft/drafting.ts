import { join } from 'node:path';

/**
 * Mounts a draft over a folder with our own overlay mount, or with a bubblewrap version that supports overlays (0.11 or newer). `copy`: where no
 * overlay can be mounted, a copy of the folder. `folder` contains the drafts being written, and the lock files for `flock`.
 */
export type Drafting =
  | {
      readonly how: 'mount';
      /** The program and its options. */
      readonly unshare: readonly string[];
      readonly mount: string;
      readonly bash: string;
      /** Mount options that depend on the user, each with a leading comma. */
      readonly options: string;
      readonly folder: string;
      readonly flock: string;
    }
  | { readonly how: 'bubblewrap'; readonly program: string; readonly folder: string; readonly flock: string }
  | {
      readonly how: 'copy';
      readonly folder: string;
      readonly flock: string;
      /** Why no overlay can be mounted. */
      readonly reason: string;
    };

/** The ways to make a draft without a copy. */
export type Overlay = Exclude<Drafting, { how: 'copy' }>;

/** The folders of one draft. `upper` contains the changes; the kernel needs the others. */
export interface DraftFolders {
  readonly root: string;
  readonly upper: string;
  readonly work: string;
  readonly lower: string;
  readonly merged: string;
}

/** Uses relative names, because commas and colons in a path have a special meaning in mount options. */
const MOUNT = `
cd -- "$1" && "$2" --bind -- "$3" lower && "$2" -t overlay overlay -o "$4" merged && cd / || exit 1
unset OLDPWD
shift 4
exec "$@"
`;

/** Starts the following program in a namespace where `merged` shows the folder and writes go to `upper`. */
export function writeArguments(drafting: Overlay, { root }: DraftFolders, folder: string): readonly string[] {
  if (drafting.how === 'bubblewrap') return [];
  return mountArguments(drafting, root, folder, 'lowerdir=lower,upperdir=upper,workdir=work');
}

/** The bubblewrap options that mount the draft of a folder, in its place if `at` names no other. */
export function placeArguments(
  drafting: Overlay,
  { merged, upper, work }: DraftFolders,
  folder: string,
  at: string = folder,
): string[] {
  if (drafting.how === 'mount') return ['--bind', merged, at];
  return ['--overlay-src', folder, '--overlay', upper, work, at];
}

/** Folders of a draft, each shown over the next, over a folder of the disk. */
export interface Layers {
  readonly layers: readonly string[];
  readonly lower: string;
}

/** Starts the following program in a namespace where `merged` shows these layers. Nothing can write there. */
export function readArguments(drafting: Overlay, { root }: DraftFolders, { layers, lower }: Layers): readonly string[] {
  return drafting.how === 'mount' ? mountArguments(drafting, root, lower, `lowerdir=${layers.join(':')}:lower`) : [];
}

/** The bubblewrap options that show these layers in place of the working folder, read-only. */
export function placeReadArguments(
  drafting: Overlay,
  { root, merged }: DraftFolders,
  { layers, lower, workingDirectory }: Layers & { readonly workingDirectory: string },
): string[] {
  if (drafting.how === 'mount') return ['--ro-bind', merged, workingDirectory];
  const all = [lower, ...layers.map((layer) => join(root, layer)).toReversed()];
  return [...all.flatMap((layer) => ['--overlay-src', layer]), '--ro-overlay', workingDirectory];
}

/** Reads NUL-terminated paths and prints one character for each: whether the command would have seen the path at the end. */
const PROBE = `
cd -- "$1" || exit 1
while IFS= read -r -d '' path; do
  if [[ -e ./$path || -L ./$path ]]; then printf 1; else printf 0; fi
done
`;

/** Starts a program that reads paths and answers whether the draft still shows them. */
export function probeArguments(drafting: Overlay, { root, upper, merged }: DraftFolders, folder: string): string[] {
  switch (drafting.how) {
    case 'mount': {
      const before = mountArguments(drafting, root, folder, 'lowerdir=upper:lower');
      return [...before, drafting.bash, '--noprofile', '--norc', '-c', PROBE, 'look', merged];
    }
    case 'bubblewrap': {
      const shown = ['--overlay-src', folder, '--overlay-src', upper, '--ro-overlay', merged];
      const bash = ['bash', '--noprofile', '--norc', '-c', PROBE, 'look', merged];
      return [drafting.program, '--ro-bind', '/', '/', '--dev', '/dev', ...shown, ...bash];
    }
  }
}

function mountArguments(
  { unshare, mount, bash, options }: Extract<Drafting, { how: 'mount' }>,
  root: string,
  folder: string,
  layers: string,
): string[] {
  const script = [bash, '--noprofile', '--norc', '-c', MOUNT, 'draft'];
  return [...unshare, '--', ...script, root, mount, folder, `${layers}${options}`];
}
