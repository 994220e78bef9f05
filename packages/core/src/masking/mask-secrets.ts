import { scanEnd, scanLimit } from './scan/characters.js';
import { createChunkMasker } from './create-chunk-masker.js';
import { notShown } from './display-form.js';
import { maskedInSlices } from './mask-slices.js';
import { mayHoldSecret } from './scan/may-hold-secret.js';

/**
 * Replaces the secrets in chat text and leaves everything else unchanged. Text past the scan limit is withheld, unless `maskSlices` has already
 * masked it.
 */
export function maskSecrets(text: string): string {
  // Fast path: every event passes through here, and most texts contain no secret.
  if (!mayHoldSecret(text)) return text;
  const whole = text.length > scanLimit ? maskedInSlices(text) : undefined;
  if (whole !== undefined) return whole;
  const cut = scanEnd(text, scanLimit);
  const masker = createChunkMasker({ form: 'chat' });
  const shown = masker.push(text.slice(0, cut)) + masker.end();
  return cut === text.length ? shown : shown + notShown(text.length - cut);
}

/** Whether a text that is made of a call, such as a rule, has one of its secrets, or any other. */
export function tellsSecret(text: string | undefined, secrets: readonly string[]): boolean {
  return text !== undefined && (secrets.some((secret) => text.includes(secret)) || maskSecrets(text) !== text);
}
