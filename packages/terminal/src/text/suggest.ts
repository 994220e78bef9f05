import { nearest } from '@countersign/protocol';

/** ` Did you mean "x"?`, or what there is, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (known.length === 0) return 'There are none yet.';
  const some = known.slice(0, 8).map((name) => `"${name}"`);
  return `There ${known.length === 1 ? 'is' : 'are'} ${some.join(', ')}${known.length > some.length ? ', …' : ''}.`;
}
