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

/** No call holds more secrets than that. Each is looked at closely, and thousands would block the process. */
const MOST_CANDIDATES = 200;

/** Past that many escapes and counted blanks a text is withheld, and its call refused (T11): nobody could read it. */
const MOST_PLACEHOLDERS = 20_000;

export interface MaskedCall extends Masked<unknown> {
  /** False: something of it is withheld, so nobody may sign it. */
  isWhole: boolean;
}

/**
 * The arguments of a call as people, events and the audit see them (A15). The author of a call chooses what looks like a secret, so a
 * secret is masked only where nothing in the call can run it, and then only its middle. Whatever is in doubt shows.
 */
export function maskCall(value: unknown): MaskedCall {
  const registry = createSecretRegistry();
  const display = createDisplay(MOST_PLACEHOLDERS);
  const isLong = lengthOf(value) > callLimit;
  let context: CallContext | undefined;
  /** Most calls hold nothing that looks like a secret, and are spared the closer look. */
  const looked = (): CallContext => (context ??= readCallContext(value));
  let command: string | undefined;
  let left = MOST_CANDIDATES;
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

/** The arguments with nothing masked, and everything that hides written out: for who has asked to see them. */
export function displayCall(value: unknown): unknown {
  const { show } = createDisplay(MOST_PLACEHOLDERS);
  return mapJson(value, {
    enter: () => false,
    key: show,
    leaf: (leaf) => ({ value: typeof leaf === 'string' ? show(leaf) : leaf }),
  });
}

/** A text made of what a call would do, such as a diff, by the same rule. */
export function maskCallText(text: string): string {
  return maskCall(text).value as string;
}

/** `{ Authorization: 'Bearer x' }` reads like the header. */
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
    // Blanks and escapes are written as runs: what shows up to here is one stretch.
    shown += show(text.slice(from, start) + head) + maskedText(registry.numberOf(middle), middle.length);
    from = end - tail.length;
  }
  return shown + show(text.slice(from));
}
