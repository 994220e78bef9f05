import { MASK } from '@countersign/protocol';
import { createDisplayWriter, maskedText } from './display-form.js';
import { createSecretScanner } from './scan/create-secret-scanner.js';
import { mayHoldSecret } from './scan/may-hold-secret.js';
import type { Masked } from './masked.js';
import type { Revealed } from './reveal.js';
import { createSecretRegistry } from './secret-registry.js';

/**
 * A text that people write and edit, with only its secrets replaced (A15): line breaks, blanks and other scripts stay what they are.
 * `revealPrompt` turns it back.
 */
export function maskPrompt(text: string): Masked<string> {
  if (!mayHoldSecret(text)) return { value: text, secrets: [] };
  const registry = createSecretRegistry();
  const writer = createDisplayWriter((secret) => registry.numberOf(secret), 'chat');
  const scanner = createSecretScanner((kind, stretch) => writer.write(kind, stretch), {});
  scanner.push(text);
  scanner.end();
  return { value: writer.end(), secrets: registry.secrets() };
}

/**
 * What somebody means who was shown a text masked and sends it back, edited or not. A placeholder that stands for nothing is refused
 * and named: kept as it is, it would be all that is left of the secret.
 */
export function revealPrompt(sent: string, stored: string): Revealed {
  const { value: shown, secrets } = maskPrompt(stored);
  if (sent === shown) return { ok: true, value: stored };
  let unknown: string | undefined;
  const value = sent.replaceAll(new RegExp(MASK, 'g'), (placeholder, number: string) => {
    const secret = secrets[Number(number) - 1];
    if (secret !== undefined && placeholder === maskedText(Number(number), secret.length)) return secret;
    // Words that were there before stand for themselves.
    if (!stored.includes(placeholder)) unknown ??= placeholder;
    return placeholder;
  });
  return unknown === undefined ? { ok: true, value } : { ok: false, unknown };
}

/** Whether a text was masked once, and has lost what it stood for. */
export function hasMask(text: string): boolean {
  return new RegExp(MASK).test(text);
}
