import { createMemo } from './create-memo.js';
import { maskValue } from './mask-value.js';

/** Cache size, in characters of results. */
const MAX_REMEMBERED = 4 * 1024 * 1024;

const recent = createMemo(MAX_REMEMBERED, (key): { value: unknown } => {
  // The JSON of the secrets contains no line feed.
  const end = key.indexOf('\n');
  return maskJson(key.slice(end + 1), JSON.parse(key.slice(0, end)) as string[]);
});

const recentPlain = createMemo(MAX_REMEMBERED, (text) => maskJson(text, []));

function maskJson(text: string, alreadyKnown: readonly string[]): { value: unknown } {
  try {
    return { value: maskValue(JSON.parse(text), { alreadyKnown }).value };
  } catch {
    return { value: undefined };
  }
}

/**
 * The masked result of a call (SAFE6), or undefined if it isn't JSON. Cached, because its event, message and every list show it. Don't mutate the
 * returned value.
 */
export function maskResult(text: string, secrets: readonly string[]): unknown {
  // Fast path: most calls have no secrets, so the long text doesn't have to be copied into a key.
  return (secrets.length === 0 ? recentPlain(text) : recent(`${JSON.stringify(secrets)}\n${text}`)).value;
}
