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

/** Where `./` and `~/` lead. A part is undefined when the folder is not known as a normalised absolute path. */
export interface Bases {
  readonly workingDirectory: readonly string[] | undefined;
  readonly home: readonly string[] | undefined;
}

/** What path a text would name if it were one: `~` and relative names are worked out. For deny and ask rules only. */
export function guessSegments(text: string, bases: Bases): readonly string[] {
  const segments = text.split('/');
  if (text.startsWith('/')) return foldSegments(segments);
  if (segments[0] === '~') return foldSegments([...(bases.home ?? []), ...segments.slice(1)]);
  return foldSegments([...(bases.workingDirectory ?? []), ...segments]);
}
