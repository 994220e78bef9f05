import { CountersignError } from '@countersign/protocol';
import { removedPasskeyRule } from '../policy/removed-passkey-rule.js';

/**
 * Refuses to remove or change a rule that requires a passkey, unless a trusted passkey confirmed it (A49.5). Otherwise, someone with a stolen token
 * would remove the rule instead of signing.
 */
export function refuseUnconfirmed(before: readonly string[], after: readonly string[], isConfirmed: boolean): void {
  const removed = isConfirmed ? undefined : removedPasskeyRule(before, after);
  if (removed === undefined) return;
  const detail = `Removing or changing the rule "${removed}" needs a confirmation with a passkey, in a browser. Nothing was saved.`;
  throw new CountersignError('conflict', detail, { field: 'confirmation' });
}
