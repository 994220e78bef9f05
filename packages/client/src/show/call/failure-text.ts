import type { InvocationStatus } from '../../state/state.js';

/** Why a call failed. If its outcome is unknown, check before you retry (STORE3). After a conflict, the agent can propose it again (CHANGE2). */
export function failureText({ error, outcome }: Omit<Extract<InvocationStatus, { kind: 'failed' }>, 'kind'>): string {
  if (outcome === 'stopped') return 'Stopped before it finished. Check what it did before you retry.';
  if (outcome === 'interrupted') return 'Interrupted, outcome unknown. Check what it did before you retry.';
  if (outcome === 'not-claimed') return 'Nothing ran: the program no longer waited for this call.';
  if (outcome === 'conflict') return `${error}. You can ask the agent to propose it again.`;
  return error;
}
