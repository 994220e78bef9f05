const SHORTEST = 16;
const FEWEST_DIFFERENT = 8;
const FEWEST_CHANGES = 4;

/**
 * Whether a configured value is long and random enough to be a secret. Every occurrence of such a value is masked in what models read
 * (T14), so a placeholder like `ollama` must not count: masking it would garble ordinary text.
 *
 * The rule: at least 16 characters, at least 8 different ones, and at least 4 changes inside its words from a letter to a digit, a digit
 * to a letter, or a lower-case to an upper-case letter. Generated keys have far more; `sk-your-api-key-here` has none.
 */
export function isLikelySecret(value: string): boolean {
  if (value.length < SHORTEST || new Set(value).size < FEWEST_DIFFERENT) return false;
  const changes = value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g) ?? [];
  return changes.length >= FEWEST_CHANGES;
}
