/** Combining characters, and two that NFKC replaces by one. */
const LONG_RUN = /[\p{M}\uff9e\uff9f]{30}/gu;

/**
 * Unicode normalization in linear time. `normalize` sorts each run of combining characters in quadratic time, so 100 kB of them would block the
 * process for ten seconds. Splits long runs, as in Unicode's stream-safe format; no word has so many.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(LONG_RUN, '$&\u034f').normalize(form);
}
