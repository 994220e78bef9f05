import { createChunkMasker } from './create-chunk-masker.js';
import { mayHoldSecret } from './may-hold-secret.js';

/** Chat text with its secrets replaced and everything else left as it is. Text without a secret comes back unchanged. */
export function maskSecrets(text: string): string {
  // Most of what is said holds none, and every event comes through here.
  if (!mayHoldSecret(text)) return text;
  const masker = createChunkMasker({ form: 'chat' });
  return masker.push(text) + masker.end();
}
