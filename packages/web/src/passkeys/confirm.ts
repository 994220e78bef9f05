import { type Client, ClientError } from '@countersign/client';
import type { Confirmable, PasskeyConfirmation } from '@countersign/protocol';
import { signWithPasskey } from './ceremony.js';
import { PasskeyFailure } from './passkey-failure.js';

/** Lets the person confirm an action with one of their trusted passkeys. */
export async function confirmWith(client: Client, action: Confirmable): Promise<PasskeyConfirmation> {
  const { challenge, options } = await client.createChallenge({ action }).catch(async (error: unknown) => {
    throw await explain(client, error);
  });
  return { challenge, ...(await signWithPasskey(options)) };
}

/** The server refuses a challenge to people without a trusted passkey. Says whether they have none or only need to confirm one. */
async function explain(client: Client, error: unknown): Promise<unknown> {
  if (!(error instanceof ClientError && error.status === 409)) return error;
  try {
    const { id } = await client.me();
    const { items } = await client.passkeys(id);
    if (items.length === 0) return new PasskeyFailure('none', error);
    return items.some(({ trusted }) => trusted) ? error : new PasskeyFailure('untrusted', error);
  } catch {
    return error;
  }
}
