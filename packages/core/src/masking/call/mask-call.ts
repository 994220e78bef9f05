import { type CallContext, readCallContext } from './call-context.js';
import { callLimit } from '../scan/characters.js';
import { createDisplay, maskedText, splitSecret } from '../display-form.js';
import { findSecrets } from '../scan/find-secrets.js';
import { isInert } from './is-inert.js';
import { mapJson } from '../map-json.js';
import { announcedBy, isSecretKey, maskNumber } from '../mask-value.js';
import { commandIn } from '../mask-text.js';
import type { Masked } from '../masked.js';
import { mayHoldSecret } from '../scan/may-hold-secret.js';
import { type ScanMode, valueMode } from '../scan/scan-mode.js';
import { secretName } from '../scan/secret-names.js';
import { type SecretRegistry, createSecretRegistry } from '../secret-registry.js';
import type { Span } from '../scan/spans.js';

/** Each candidate is examined closely, so thousands of them would block the process. */
const MAX_CANDIDATES = 200;

/** Limit on escapes and whitespace placeholders. Text with more of them is unreadable, so it is withheld and the call is refused (TURN11). */
const MAX_PLACEHOLDERS = 20_000;

export interface MaskedCall extends Masked<unknown> {
  /** False if part of the value is withheld. Such a call must not be approved. */
  isWhole: boolean;
}

/**
 * The arguments of a call as people, events and the audit log see them (SAFE6). The model chooses what looks like a secret, so a secret is masked
 * only where nothing in the call can run it, and only its middle. If in doubt, it is shown.
 */
export function maskCall(value: unknown): MaskedCall {
  const registry = createSecretRegistry();
  const display = createDisplay(MAX_PLACEHOLDERS);
  const isLong = lengthOf(value) > callLimit;
  let context: CallContext | undefined;
  /** Lazy, because most calls contain nothing that looks like a secret. */
  const looked = (): CallContext => (context ??= readCallContext(value));
  let command: string | undefined;
  let left = MAX_CANDIDATES;
  const masked = mapJson(value, {
    enter: isSecretKey,
    key: display.show,
    leaf(leaf, { marked, key, previous }) {
      if (typeof leaf === 'number')
        return { value: marked && !isLong && !looked().shows ? maskNumber(registry, leaf) : leaf };
      if (typeof leaf !== 'string') return { value: leaf };
      const announced = announcedBy(previous);
      if (isLong || (!marked && announced === undefined && !mayHoldSecret(leaf))) {
        command = commandIn(leaf);
        return { value: display.show(leaf) };
      }
      const found = findSecrets(leaf, { ...startOf(announced, marked ? key : undefined), command });
      ({ command } = found);
      const whole = marked && /^\S+$/.test(leaf);
      const candidates = (whole ? [[0, leaf.length] as const] : found.spans).slice(0, left);
      left -= candidates.length;
      const spans = candidates.filter(([start, end]) => {
        if (looked().shows) return false;
        return isInert({ text: leaf, start, end, key, whole, announced: announced !== undefined }, looked());
      });
      return { value: cover(registry, display.show, leaf, spans), ended: found.ended };
    },
  });
  return { value: masked, secrets: registry.secrets(), isWhole: display.isWhole() };
}

function lengthOf(value: unknown): number {
  let length = 0;
  mapJson(value, {
    enter: () => false,
    key(key) {
      length += key.length;
      return key;
    },
    leaf(leaf) {
      if (typeof leaf === 'string') length += leaf.length;
      return { value: undefined };
    },
  });
  return length;
}

/** The unmasked arguments with hidden characters escaped, for a person who asked to see them. */
export function displayCall(value: unknown): unknown {
  const { show } = createDisplay(MAX_PLACEHOLDERS);
  return mapJson(value, {
    enter: () => false,
    key: show,
    leaf: (leaf) => ({ value: typeof leaf === 'string' ? show(leaf) : leaf }),
  });
}

/** Masks text derived from a call, such as a diff, in the same way. */
export function maskCallText(text: string): string {
  return maskCall(text).value as string;
}

/** `{ Authorization: 'Bearer x' }` is scanned like a header line. */
function startOf(announced: ScanMode | undefined, key: string | undefined): { start?: ScanMode } {
  if (announced !== undefined) return { start: announced };
  const of = key === undefined ? undefined : secretName(key);
  if (of !== 'authorization' && of !== 'cookie') return {};
  return { start: { ...valueMode(of), quote: 'whole', many: true } };
}

function cover(registry: SecretRegistry, show: (text: string) => string, text: string, spans: readonly Span[]): string {
  let shown = '';
  let from = 0;
  for (const [start, end] of spans) {
    const { head, middle, tail } = splitSecret(text.slice(start, end));
    // A run of whitespace or escapes becomes one placeholder, so render everything up to here in one piece.
    shown += show(text.slice(from, start) + head) + maskedText(registry.numberOf(middle), middle.length);
    from = end - tail.length;
  }
  return shown + show(text.slice(from));
}
