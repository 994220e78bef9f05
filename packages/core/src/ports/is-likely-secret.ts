const SHORTEST = 16;
const FEWEST_DIFFERENT = 8;
const FEWEST_CHANGES = 4;

/**
 * Whether a configured value is long and random enough to be a secret (TURN14); masking a placeholder like `ollama` would garble text. Requires 16
 * characters, 8 distinct ones, and 4 changes between letters and digits or from lowercase to uppercase; `sk-your-api-key-here` has none.
 */
export function isLikelySecret(value: string): boolean {
  if (value.length < SHORTEST || new Set(value).size < FEWEST_DIFFERENT) return false;
  const changes = value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g) ?? [];
  return changes.length >= FEWEST_CHANGES;
}
