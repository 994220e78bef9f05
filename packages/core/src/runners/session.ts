import type { Signer } from '@countersign/protocol';
import { canonicalJson } from '../policy/index.js';
import { keyedHash } from '../evidence/hash-call.js';
import type { Runtime } from '../step/runtime.js';

/** A program that proposes a call. Only this caller learns the verdict, fetches the call and reports its result (EXT1.16). */
export interface ExternalCaller {
  by: Signer;
  /** Identifies the credential. */
  credential: string;
  /** An id that the program chose for the call. Another process with the same credential doesn't know it. */
  claim: string;
}

/**
 * The chat of a session, and the id of a call in it, are derived from the names that the program chose. A retry after a lost response finds the
 * same call, also after a restart or in another process, and nobody without the store's key can guess an id (MODEL5). Two people never share a
 * session: the calls in it would have the wrong requester (SIGN1.6).
 */
export function chatOfSession(
  runtime: Pick<Runtime, 'store'>,
  { worldId, agentId, session }: { worldId: string; agentId: string; session: string },
  { who }: Signer,
): string {
  return `chat_${derived(runtime, ['external session', worldId, agentId, session, who.kind, who.id])}`;
}

/** How the caller is stored with the call. */
export function callerHash(runtime: Pick<Runtime, 'store'>, { credential, claim }: Omit<ExternalCaller, 'by'>): string {
  return derived(runtime, ['external caller', credential, claim]);
}

export function callOfKey(runtime: Pick<Runtime, 'store'>, chatId: string, key: string): string {
  return `call_${derived(runtime, ['external call', chatId, key])}`;
}

function derived({ store }: Pick<Runtime, 'store'>, parts: readonly string[]): string {
  return keyedHash(store.hashKey, canonicalJson(parts)).slice(0, 32);
}
