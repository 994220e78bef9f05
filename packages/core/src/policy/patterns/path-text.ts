import { normalizeText } from '@countersign/protocol';

/** The segments of a normalized absolute path, or undefined for anything else. */
export function normalSegments(path: string): readonly string[] | undefined {
  if (path === '/') return [];
  if (!path.startsWith('/') || path.includes('\0')) return undefined;
  const segments = path.slice(1).split('/');
  return segments.some((segment) => segment === '' || segment === '.' || segment === '..') ? undefined : segments;
}

/** Resolves `.`, `..` and empty segments lexically. */
function foldSegments(segments: readonly string[]): string[] {
  const folded: string[] = [];
  for (const segment of segments) {
    if (segment === '..') folded.pop();
    else if (segment !== '' && segment !== '.') folded.push(segment);
  }
  return folded;
}

/**
 * Folds a name as a case-insensitive, normalization-insensitive disk does. On such a disk, `SECRETS/key` opens a file that a
 * deny rule about `secrets` protects, and so does a name with a long s (ſ).
 */
export function foldName(name: string): string {
  // Fast path: most names are ASCII, and this runs for every file in a folder.
  return /^[\x20-\x7e]*$/.test(name) ? name.toLowerCase() : normalizeText(name, 'NFC').toUpperCase().toLowerCase();
}

/** The folders that `./` and `~/` refer to. Undefined if a folder is not known as a normalized absolute path. */
interface Folders {
  readonly workingDirectory: readonly string[] | undefined;
  readonly home: readonly string[] | undefined;
}

export interface Bases extends Folders {
  /** The same folders, folded with `foldName`. */
  readonly folded: Folders;
}

export function basesOf(place: { readonly workingDirectory: string; readonly home: string }): Bases {
  const workingDirectory = normalSegments(place.workingDirectory);
  const home = normalSegments(place.home);
  const folded = { workingDirectory: workingDirectory?.map(foldName), home: home?.map(foldName) };
  return { workingDirectory, home, folded };
}

/** The path that a text would name if it were a path, folded and resolved. For deny and ask rules only. */
export function guessSegments(text: string, { folded }: Bases): readonly string[] {
  const segments = foldName(text).split('/');
  if (text.startsWith('/')) return foldSegments(segments);
  if (segments[0] === '~') return foldSegments([...(folded.home ?? []), ...segments.slice(1)]);
  return foldSegments([...(folded.workingDirectory ?? []), ...segments]);
}
