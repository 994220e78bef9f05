import type { May, Safeguards } from '@countersign/core';
import type { Store } from '@countersign/core/ports';
import { passkeyConfirmationSchema, type Confirmable } from '@countersign/protocol';
import type { AppRequest } from '../app/context.js';
import type { RouteInput } from '../app/route.js';
import { actionsOf } from '../people/access.js';
import { byOf } from '../people/by.js';
import { pageOrigin } from '../routes/support.js';
import { confirmIn } from './confirm-in.js';

type Sent = Pick<RouteInput<unknown, unknown, unknown>, 'c' | 'context' | 'sent'>;

/** What every request that changes a world must pass on: its confirmation, and what its credential may do. */
export async function safeguardsOf(input: Sent): Promise<Required<Omit<Safeguards, 'expected'>>> {
  return { isConfirmed: await confirmChange(input), may: mayOf(input.c) };
}

/** What the credential of a request may do in a world, or on the server. */
export function mayOf({ var: { access } }: AppRequest): May {
  return (action, worldId) => actionsOf(access, worldId).has(action);
}

/** Verifies that a passkey confirmed exactly this request, as it was sent. False if it has no confirmation. */
async function confirmChange({ c, context, sent }: Sent): Promise<boolean> {
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
