import { type Client, ClientError, createClient, isTransient } from '@countersign/client';
import type { NewSession, Pairing, Session } from '@countersign/protocol';
import { earlyFetch } from './early.js';
import { keepSession, takeKey } from './session.js';

const AGAIN_MS = 1000;

interface Listener {
  onPairing: (code: string | undefined) => void;
  onRefused: (why: string) => void;
}

/** Exchanges the ticket of a start link, or an invitation, for a session. A link from another device waits until that device confirms its code. */
export async function enter({ onPairing, onRefused }: Listener): Promise<void> {
  const key = takeKey();
  if (key === undefined) return;
  try {
    const client = createClient({ url: location.origin, fetch: earlyFetch });
    let opened = await client.enter(key);
    while ('code' in opened) {
      onPairing(opened.code);
      opened = await askAgain(client, key, opened);
    }
    keepSession(opened.session);
  } catch (error) {
    // A reloaded page still has its session; the ticket in its URL has already been used.
    onRefused(error instanceof Error ? error.message : '');
  } finally {
    onPairing(undefined);
  }
}

/** Phones lose their network when they sleep. */
async function askAgain(client: Client, key: NewSession, waiting: Pairing): Promise<Session | Pairing> {
  await new Promise((resolve) => {
    setTimeout(resolve, AGAIN_MS);
  });
  try {
    return await client.enter({ ...key, pairing: waiting.pairing });
  } catch (error) {
    if (error instanceof ClientError && isTransient(error)) return waiting;
    throw error;
  }
}
