const segmenter = new Intl.Segmenter();
/** Code units at a time: on Node 20 the time that Intl.Segmenter takes grows with the square of its text. */
const SLICE = 500;

/** Letters and signs that are one cell each and never join: nearly all that is shown. To measure one by one would be most of the work. */
export const NARROW =
  /^[\x20-\x7E\u00A0-\u00AC\u00AE-\u02FF\u0370-\u0482\u048A-\u052F\u2010-\u2027\u2030-\u203B\u2190-\u2193\u2500-\u257F\u25C8\u25CB\u25CF\u2713\u2717\u27F3]*$/;

/** The letters of a text as a person sees them, each with the marks that belong to it. */
export function* graphemes(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const parts = partsOf(sliceAt(text, from));
    // The last one may continue in the next slice.
    if (from + SLICE < text.length && parts.length > 1) parts.pop();
    for (const part of parts) {
      from += part.length;
      yield part;
    }
  }
}

/** Never half of a surrogate pair: what stands before it would seem to end there. */
function sliceAt(text: string, from: number): string {
  const slice = text.slice(from, from + SLICE);
  return from + SLICE < text.length ? slice.replace(/[\uD800-\uDBFF]$/, '') : slice;
}

function partsOf(slice: string): string[] {
  if (NARROW.test(slice)) return Array.from(slice);
  return Array.from(segmenter.segment(slice), ({ segment }) => segment);
}
