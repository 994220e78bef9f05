import { canonicalJson } from '../policy/index.js';

/** More than any model writes in one answer. Parsing, checking and showing more would block the process. */
const LARGEST_BYTES = 1024 * 1024;
const DEEPEST = 64;

export type ParsedArguments =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly text: string }
  | { readonly ok: false; readonly error: string };

/**
 * A model's arguments, read once: `text` is what is stored, hashed and shown, and `value` is exactly what that text
 * says. Only the truly empty text, which some vendors send for "none", counts as `{}`: broken JSON that became `{}`
 * would run the tool with arguments nobody chose.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text === '') return { ok: true, value: {}, text: '{}' };
  if (text.length > LARGEST_BYTES || Buffer.byteLength(text) > LARGEST_BYTES) {
    return failure('The arguments are larger than 1 MB. Call the tool with less, or in several steps.');
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return failure(`The arguments are not valid JSON${whereIn(error)}. Call the tool again with one JSON object.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return failure(`The arguments must be one JSON object, not ${nameOf(parsed)}. Call the tool again with an object.`);
  }
  const trouble = findTrouble(parsed, 1);
  if (trouble !== undefined) return failure(trouble);
  const canonical = canonicalJson(parsed);
  const value = canonical === text ? parsed : (JSON.parse(canonical) as unknown);
  return { ok: true, value: value as Record<string, unknown>, text: canonical };
}

function findTrouble(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return 'The arguments contain a number that is too large. Send it as a string, or a smaller one.';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > DEEPEST)
    return `The arguments are nested more than ${DEEPEST} levels deep. Call the tool with a flatter object.`;
  for (const member of Object.values(value)) {
    const trouble = findTrouble(member, depth + 1);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/** The position only: the engine's own words quote the text, and a secret in it would reach logs unmasked. */
function whereIn(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` (at position ${position})`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function failure(error: string): ParsedArguments {
  return { ok: false, error };
}
