import { systemClock } from '@countersign/core';
import type { AcpSettings } from '@countersign/protocol';
import { tryAgent } from '@countersign/tools';

/** Why the program of an ACP agent doesn't start on this machine, as a clause; undefined if it does. */
export async function tryAcpAgent(acp: AcpSettings, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return await tryAgent(acp, { clock: systemClock, env });
}
