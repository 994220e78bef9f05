import { canonicalJson } from '../policy/index.js';

/** More than any model writes in one response. Parsing, checking and showing more would block the process. */
const LARGEST_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

export type ParsedArguments =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly text: string }
  | { readonly ok: false; readonly error: string };

/**
 * Parses a model's arguments once: `text` is stored, hashed and shown, and `value` is exactly what it says. Only an empty text counts as
 * `{}`, because some vendors send it for no arguments; treating broken JSON as `{}` would run the tool with wrong arguments.
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
    return 'The arguments contain a number that is too large. Send it as a string, or send a smaller number.';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH)
    return `The arguments are nested more than ${MAX_DEPTH} levels deep. Call the tool with a flatter object.`;
  for (const member of Object.values(value)) {
    const trouble = findTrouble(member, depth + 1);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/** Only the position: the engine's message quotes the text, so a secret could reach the logs unmasked. */
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
