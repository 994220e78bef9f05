import { NO_CALL } from '@countersign/protocol';
import type { GatedAgent } from './hook-agents.js';
import { hookServer, HookServerError } from './hook/hook-server.js';
import { readHookConfig } from './hook/run-hook.js';
import { soonExpiry } from './token-expiry.js';

/** Why the hook would get no answer to a call, so that every call is refused, as a clause; undefined if it would get one. */
export async function findRefusal(home: string, agent: GatedAgent): Promise<string | undefined> {
  try {
    await hookServer(readHookConfig(home, agent), () => undefined).wait(NO_CALL, 0);
    return undefined;
  } catch (error) {
    if (error instanceof HookServerError && error.status === 404) return undefined;
    return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  }
}

/** The day on which the token of the hook expires, if that is within 14 days. Asking doesn't extend it (WHO5). */
export async function gateExpiry(home: string, agent: GatedAgent): Promise<string | undefined> {
  try {
    const config = readHookConfig(home, agent);
    return await soonExpiry(config, `worlds/${encodeURIComponent(config.world)}/external/calls/${NO_CALL}`);
  } catch {
    return undefined;
  }
}
