import { describeReason } from '@countersign/protocol';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { StepTransaction } from '../facts/step-transaction.js';

/** The reason for denying a call that needs approval when no client can ask a person. */
export const UNATTENDED = describeReason({ code: 'unattended' });

/** Whether calls that need approval are denied at once: the world says so, and no client that can ask a person is connected (A13). */
export function isUnattended(tx: Pick<StepTransaction, 'hasAsker'>, { world }: WorldSnapshot): boolean {
  return world.settings.unattended === 'deny' && !tx.hasAsker();
}
