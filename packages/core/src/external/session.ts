import { canonicalJson } from '../policy/index.js';
import { keyedHash } from '../calls/sign-call.js';
import type { Runtime } from '../step/runtime.js';

/**
 * The chat of a session, and the id of a call in it, are derived from the names that the program chose. A retry after a lost response finds the
 * same call, also after a restart or in another process, and nobody without the store's key can guess an id (P5).
 */
export function chatOfSession(
  runtime: Pick<Runtime, 'store'>,
  { worldId, agentId, session }: { worldId: string; agentId: string; session: string },
): string {
  return `chat_${derived(runtime, ['external session', worldId, agentId, session])}`;
}

export function callOfKey(runtime: Pick<Runtime, 'store'>, chatId: string, key: string): string {
  return `call_${derived(runtime, ['external call', chatId, key])}`;
}

function derived({ store }: Pick<Runtime, 'store'>, parts: readonly string[]): string {
  return keyedHash(store.hashKey, canonicalJson(parts)).slice(0, 32);
}
