/** Made on first use, because it loads the Unicode tables. */
let segmenter: Intl.Segmenter | undefined;
/** The slice length. Slices are needed because on Node 20 Intl.Segmenter is quadratic. */
const SLICE = 500;

/** Characters that are one cell wide and never join, which is nearly all text. They skip the slow segmentation. */
export const NARROW =
  /^[\x20-\x7E\u00A0-\u00AC\u00AE-\u02FF\u0370-\u0482\u048A-\u052F\u2010-\u2027\u2030-\u203B\u2190-\u2193\u2500-\u257F\u25C8\u25CB\u25CF\u2713\u2717\u27F3]*$/;

/** The grapheme clusters of a text. */
export function* graphemes(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const parts = partsOf(sliceAt(text, from));
    // The last cluster may continue in the next slice.
    if (from + SLICE < text.length && parts.length > 1) parts.pop();
    for (const part of parts) {
      from += part.length;
      yield part;
    }
  }
}

/** Never splits a surrogate pair. */
function sliceAt(text: string, from: number): string {
  const slice = text.slice(from, from + SLICE);
  return from + SLICE < text.length ? slice.replace(/[\uD800-\uDBFF]$/, '') : slice;
}

function partsOf(slice: string): string[] {
  if (NARROW.test(slice)) return Array.from(slice);
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(slice), ({ segment }) => segment);
}
