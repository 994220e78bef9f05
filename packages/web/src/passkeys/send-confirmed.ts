import { type Client, ClientError } from '@countersign/client';
import type { Confirmable, PasskeyConfirmation } from '@countersign/protocol';
import { confirmWith } from './confirm.js';

/** Sends a change. If the server requires a passkey for it (A49.5), the person confirms it, and it is sent again. */
export async function sendConfirmed<T>(
  client: Client,
  action: Confirmable,
  send: (confirmed: { confirmation?: PasskeyConfirmation }) => Promise<T>,
): Promise<T> {
  try {
    return await send({});
  } catch (error) {
    if (!(error instanceof ClientError && error.status === 409 && error.field === 'confirmation')) throw error;
  }
  return await send({ confirmation: await confirmWith(client, action) });
}
