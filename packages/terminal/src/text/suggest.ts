import { nearest } from '@countersign/protocol';
import { errors } from '../words/errors.js';

/** `Did you mean "x"?`, or a list of available names. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return errors.didYouMean(near);
  if (known.length === 0) return errors.noneYet;
  const some = known.slice(0, 8).map((name) => `"${name}"`);
  return errors.available(some, known.length === some.length);
}
