import { scanLimit } from './scan/characters.js';
import { displayText, maskedNumber, maskedText, splitSecret } from './display-form.js';
import { mapJson } from './map-json.js';
import { maskTextInto } from './mask-text.js';
import type { Masked, MaskOptions } from './masked.js';
import { type ScanMode, type ValueMode, valueMode } from './scan/scan-mode.js';
import { secretName } from './scan/secret-names.js';
import { type SecretRegistry, createSecretRegistry } from './secret-registry.js';

/**
 * JSON as people may see it (SAFE6): text is masked as in `maskText`; strings and numbers under a secret key (`password`, `Authorization`, …)
 * are masked completely. Keeps the shape, and `reveal` reverses it.
 */
export function maskValue(value: unknown, options: MaskOptions = {}): Masked<unknown> {
  const registry = createSecretRegistry(options.alreadyKnown);
  /** `{ command: 'mysql', parameters: ['-psecret'] }` is one command in several strings. */
  let command: string | undefined;
  let limit = scanLimit;
  const masked = mapJson(value, {
    enter: isSecretKey,
    // Keys are never withheld: two of them could become the same key.
    key: (key) => (limit === 0 ? displayText(key) : maskTextInto(registry, key, options).value),
    leaf(leaf, { marked, previous }) {
      if (marked && typeof leaf === 'string' && leaf !== '') return { value: maskWhole(registry, leaf) };
      if (marked && typeof leaf === 'number') return { value: maskNumber(registry, leaf) };
      if (typeof leaf !== 'string') return { value: leaf };
      const start = announcedBy(previous);
      const read = maskTextInto(registry, leaf, {
        ...options,
        limit,
        command,
        ...(start === undefined ? {} : { start }),
      });
      ({ command } = read);
      limit = Math.max(0, limit - leaf.length);
      return read;
    },
  });
  return { value: masked, secrets: registry.secrets() };
}

const VALUE = /^values?$/i;

/** Whether the value under this key is a secret. */
export function isSecretKey(key: string, siblings: Readonly<Record<string, unknown>>): boolean {
  return secretName(key) !== undefined || (VALUE.test(key) && isNamedSecret(siblings));
}

/** `{ name: 'DB_PASSWORD', value: 'hunter2' }`, a common form for variables and headers. */
function isNamedSecret(siblings: Readonly<Record<string, unknown>>): boolean {
  const name = siblings['name'] ?? siblings['key'] ?? siblings['Name'] ?? siblings['Key'];
  return typeof name === 'string' && secretName(name) !== undefined;
}

/** `['--password', 'hunter2']`: each element is one word, so the whole next element is the secret. */
export function announcedBy(previous: unknown): ScanMode | undefined {
  const mode = previous as ScanMode | undefined;
  if (mode?.kind !== 'value' || mode.started || mode.closed || mode.quote !== '') return undefined;
  const of: ValueMode['of'] | undefined =
    mode.of === 'flag' || mode.of === 'user' || mode.of === 'scheme' || mode.of === 'cookie' ? mode.of : undefined;
  return of === undefined ? undefined : { ...valueMode(of), quote: 'whole', many: true };
}

function maskWhole(registry: SecretRegistry, text: string): string {
  const { head, middle, tail } = splitSecret(text);
  return head + maskedText(registry.numberOf(middle), middle.length) + tail;
}

export function maskNumber(registry: SecretRegistry, value: number): string {
  const written = Object.is(value, -0) ? '-0' : String(value);
  return maskedNumber(registry.numberOf(written), written.length);
}
