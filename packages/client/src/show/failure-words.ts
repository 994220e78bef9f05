import type { InvocationStatus } from '../state.js';

/** Why a call failed. An outcome that nobody knows calls for a check, not for another try (S3). */
export function failureWords({ error, outcome }: Omit<Extract<InvocationStatus, { kind: 'failed' }>, 'kind'>): string {
  if (outcome === 'stopped') return 'Stopped before it finished. Check what it did before you retry.';
  if (outcome === 'interrupted') return 'Interrupted, outcome unknown. Check what it did before you retry.';
  return error;
}
