import type { Store } from '@countersign/core/ports';
import type { PasskeyConfirmation } from '@countersign/protocol';
import type { AppContext, AppRequest } from '../app/context.js';
import { byOf } from '../routes/people.js';
import { pageOrigin } from '../routes/support.js';
import { confirmIn } from './confirm-in.js';

/** Verifies that a passkey confirmed these rules for a world, or for one of its agents. False if there is no confirmation. */
export async function confirmPolicy(
  c: AppRequest,
  context: AppContext,
  changed: { world: string; agent?: string; rules: readonly string[]; confirmation: PasskeyConfirmation | undefined },
): Promise<boolean> {
  const { confirmation, rules, ...where } = changed;
  if (confirmation === undefined) return false;
  const action = { kind: 'change-policy' as const, ...where, rules: [...rules] };
  const store: Store = context.engine.runtime.store;
  await store.transact('', (tx) => confirmIn(tx, byOf(c), { action, confirmation, origin: pageOrigin(c, context) }));
  return true;
}
