import { MASK } from '@countersign/protocol';
import { createDisplayWriter, maskedText } from './display-form.js';
import { createSecretScanner } from './scan/create-secret-scanner.js';
import { mayHoldSecret } from './scan/may-hold-secret.js';
import type { Masked } from './masked.js';
import type { Revealed } from './reveal.js';
import { createSecretRegistry } from './secret-registry.js';

/**
 * Masks only the secrets in a text that people edit (SAFE6): line breaks, spaces and other scripts stay unchanged. `revealPrompt` reverses it.
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
 * Restores the secrets in a masked text that a person sends back, edited or not. Fails with the name of an unknown placeholder:
 * storing it would lose the secret.
 */
export function revealPrompt(sent: string, stored: string): Revealed {
  const { value: shown, secrets } = maskPrompt(stored);
  if (sent === shown) return { ok: true, value: stored };
  let unknown: string | undefined;
  const value = sent.replaceAll(new RegExp(MASK, 'g'), (placeholder, number: string) => {
    const secret = secrets[Number(number) - 1];
    if (secret !== undefined && placeholder === maskedText(Number(number), secret.length)) return secret;
    // Text that looked like a placeholder before masking is literal.
    if (!stored.includes(placeholder)) unknown ??= placeholder;
    return placeholder;
  });
  return unknown === undefined ? { ok: true, value } : { ok: false, unknown };
}

/** Whether a text contains a mask whose secret can't be restored. */
export function hasMask(text: string): boolean {
  return new RegExp(MASK).test(text);
}
