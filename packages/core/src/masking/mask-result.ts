import { createMemo } from './create-memo.js';
import { maskValue } from './mask-value.js';

/** In characters of results. */
const MOST_REMEMBERED = 4 * 1024 * 1024;

const recent = createMemo(MOST_REMEMBERED, (key): { value: unknown } => {
  // No line feed is in the JSON of the secrets.
  const end = key.indexOf('\n');
  return maskJson(key.slice(end + 1), JSON.parse(key.slice(0, end)) as string[]);
});

const recentPlain = createMemo(MOST_REMEMBERED, (text) => maskJson(text, []));

function maskJson(text: string, alreadyKnown: readonly string[]): { value: unknown } {
  try {
    return { value: maskValue(JSON.parse(text), { alreadyKnown }).value };
  } catch {
    return { value: undefined };
  }
}

/**
 * The stored result of a call as people see it (A15); undefined for what is not JSON. Its event, its message and each list show it, so it
 * is masked once and remembered; nobody may change what comes back.
 */
export function maskResult(text: string, secrets: readonly string[]): unknown {
  // Most calls hold no secret, and a long text is not copied for them.
  return (secrets.length === 0 ? recentPlain(text) : recent(`${JSON.stringify(secrets)}\n${text}`)).value;
}
