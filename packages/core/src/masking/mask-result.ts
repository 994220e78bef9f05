import { createMemo } from './create-memo.js';
import { maskValue } from './mask-value.js';

/** In characters of results. */
const MOST_REMEMBERED = 4 * 1024 * 1024;

const recent = createMemo(MOST_REMEMBERED, (key): { value: unknown } => {
  // No line feed is in the JSON of the secrets.
  const end = key.indexOf('\n');
  try {
    const alreadyKnown = JSON.parse(key.slice(0, end)) as string[];
    return { value: maskValue(JSON.parse(key.slice(end + 1)), { alreadyKnown }).value };
  } catch {
    return { value: undefined };
  }
});

/**
 * The stored result of a call as people see it (A15); undefined for what is not JSON. Its event, its message and each list show it, so it
 * is masked once and remembered; nobody may change what comes back.
 */
export function maskResult(text: string, secrets: readonly string[]): unknown {
  return recent(`${JSON.stringify(secrets)}\n${text}`).value;
}
