import type { Store } from '@countersign/core/ports';
import { passkeyConfirmationSchema, type Confirmable } from '@countersign/protocol';
import type { RouteInput } from '../app/route.js';
import { byOf } from '../routes/people.js';
import { pageOrigin } from '../routes/support.js';
import { confirmIn } from './confirm-in.js';

/** Verifies that a passkey confirmed exactly this request, as it was sent. False if it has no confirmation. */
export async function confirmChange({
  c,
  context,
  sent,
}: Pick<RouteInput<unknown, unknown, unknown>, 'c' | 'context' | 'sent'>): Promise<boolean> {
  const { confirmation: given, ...body } = sent as Record<string, unknown>;
  if (given === undefined) return false;
  const confirmation = passkeyConfirmationSchema.parse(given);
  // Safe: only these methods change worlds.
  const method = c.req.method as Extract<Confirmable, { kind: 'change-world' }>['method'];
  const action: Confirmable = { kind: 'change-world', method, path: c.req.path.replace(/^\/api/, ''), body };
  const store: Store = context.engine.runtime.store;
  await store.transact('', (tx) => confirmIn(tx, byOf(c), { action, confirmation, origin: pageOrigin(c, context) }));
  return true;
}
