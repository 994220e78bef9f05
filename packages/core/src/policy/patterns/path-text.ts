/** The segments of a normalised absolute path, or undefined if it is anything else. */
export function normalSegments(path: string): readonly string[] | undefined {
  if (path === '/') return [];
  if (!path.startsWith('/') || path.includes('\0')) return undefined;
  const segments = path.slice(1).split('/');
  return segments.some((segment) => segment === '' || segment === '.' || segment === '..') ? undefined : segments;
}

/** Segments after `.`, `..` and empty ones are worked out, by text alone. */
function foldSegments(segments: readonly string[]): string[] {
  const folded: string[] = [];
  for (const segment of segments) {
    if (segment === '..') folded.pop();
    else if (segment !== '' && segment !== '.') folded.push(segment);
  }
  return folded;
}

/**
 * A name as a disk that does not tell cases or compositions apart would look it up. For deny and ask rules: on such a
 * disk `SECRETS/key` opens what a rule about `secrets` is there to keep closed, and so does one with an old long s.
 */
export function foldName(name: string): string {
  // Most names are plain, and this is asked of every file in a folder.
  return /^[\x20-\x7e]*$/.test(name) ? name.toLowerCase() : name.normalize('NFC').toUpperCase().toLowerCase();
}

/** Where `./` and `~/` lead. A part is undefined when the folder is not known as a normalised absolute path. */
interface Folders {
  readonly workingDirectory: readonly string[] | undefined;
  readonly home: readonly string[] | undefined;
}

export interface Bases extends Folders {
  /** The same, as `foldName` makes them. */
  readonly folded: Folders;
}

export function basesOf(place: { readonly workingDirectory: string; readonly home: string }): Bases {
  const workingDirectory = normalSegments(place.workingDirectory);
  const home = normalSegments(place.home);
  const folded = { workingDirectory: workingDirectory?.map(foldName), home: home?.map(foldName) };
  return { workingDirectory, home, folded };
}

/** What path a text would name if it were one, folded: `~` and relative names are worked out. For deny and ask rules only. */
export function guessSegments(text: string, { folded }: Bases): readonly string[] {
  const segments = foldName(text).split('/');
  if (text.startsWith('/')) return foldSegments(segments);
  if (segments[0] === '~') return foldSegments([...(folded.home ?? []), ...segments.slice(1)]);
  return foldSegments([...(folded.workingDirectory ?? []), ...segments]);
}
