/**
 * How this system lays a draft over a folder: by a mount of our own in a namespace of its own, or by a bubblewrap that knows how
 * (0.11 and newer). `folder` is where drafts lie while a command writes them, and the locks that `flock` takes.
 */
export type Drafting =
  | {
      readonly how: 'mount';
      /** The program and its options. */
      readonly unshare: readonly string[];
      readonly mount: string;
      readonly bash: string;
      /** What the kernel wants to be told of the one who mounts, each with a comma in front. */
      readonly options: string;
      readonly folder: string;
      readonly flock: string;
    }
  | { readonly how: 'bubblewrap'; readonly program: string; readonly folder: string; readonly flock: string };

/** The folders of one draft. `upper` holds what is written; the others are what the kernel asks for. */
export interface DraftFolders {
  readonly root: string;
  readonly upper: string;
  readonly work: string;
  readonly lower: string;
  readonly merged: string;
}

/** Relative names: in mount options a comma or a colon in a path would mean something. */
const MOUNT = `
cd -- "$1" && "$2" --bind -- "$3" lower && "$2" -t overlay overlay -o "$4" merged && cd / || exit 1
unset OLDPWD
shift 4
exec "$@"
`;

/** Starts a program (what follows) where `merged` shows the folder, and all that is written there goes to `upper`. */
export function writeWords(drafting: Drafting, { root }: DraftFolders, folder: string): readonly string[] {
  if (drafting.how === 'bubblewrap') return [];
  return mountWords(drafting, root, folder, 'lowerdir=lower,upperdir=upper,workdir=work');
}

/** bubblewrap's words that put the draft in the folder's place. */
export function placeWords(drafting: Drafting, { merged, upper, work }: DraftFolders, folder: string): string[] {
  if (drafting.how === 'mount') return ['--bind', merged, folder];
  return ['--overlay-src', folder, '--overlay', upper, work, folder];
}

/** One character for each path it reads, NUL-ended: whether a command would have seen it in the end. */
const LOOK = `
cd -- "$1" || exit 1
while IFS= read -r -d '' path; do
  if [[ -e ./$path || -L ./$path ]]; then printf 1; else printf 0; fi
done
`;

/** Starts the program that answers, for paths on its input, whether the draft still shows them. */
export function lookWords(drafting: Drafting, { root, upper, merged }: DraftFolders, folder: string): string[] {
  switch (drafting.how) {
    case 'mount': {
      const before = mountWords(drafting, root, folder, 'lowerdir=upper:lower');
      return [...before, drafting.bash, '--noprofile', '--norc', '-c', LOOK, 'look', merged];
    }
    case 'bubblewrap': {
      const shown = ['--overlay-src', folder, '--overlay-src', upper, '--ro-overlay', merged];
      const bash = ['bash', '--noprofile', '--norc', '-c', LOOK, 'look', merged];
      return [drafting.program, '--ro-bind', '/', '/', '--dev', '/dev', ...shown, ...bash];
    }
  }
}

function mountWords(
  { unshare, mount, bash, options }: Extract<Drafting, { how: 'mount' }>,
  root: string,
  folder: string,
  layers: string,
): string[] {
  const script = [bash, '--noprofile', '--norc', '-c', MOUNT, 'draft'];
  return [...unshare, '--', ...script, root, mount, folder, `${layers}${options}`];
}
