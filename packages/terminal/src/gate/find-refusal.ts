import type { GatedAgent } from './gated-agents.js';
import { hookServer, HookServerError } from './hook/hook-server.js';
import { readHookConfig } from './hook/run-hook.js';

/** No call has this id, so a server that knows the token answers 404. */
const NO_CALL = 'none';

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
