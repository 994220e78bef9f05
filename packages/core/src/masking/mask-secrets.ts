import { createChunkMasker } from './create-chunk-masker.js';

/** Chat text with its secrets replaced and everything else left as it is. Text without a secret comes back unchanged. */
export function maskSecrets(text: string): string {
  const masker = createChunkMasker({ form: 'chat' });
  return masker.push(text) + masker.end();
}
