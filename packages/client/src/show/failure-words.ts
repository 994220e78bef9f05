import type { InvocationStatus } from '../state.js';

/** Why a call failed. An outcome that nobody knows calls for a check, not for another try (S3). */
export function failureWords({ error, outcome }: Omit<Extract<InvocationStatus, { kind: 'failed' }>, 'kind'>): string {
  if (outcome === 'stopped') return 'Stopped: it may have done part of its work. Check before trying again.';
  if (outcome === 'interrupted') return "Interrupted: we don't know whether it ran. Check before trying again.";
  return error;
}
