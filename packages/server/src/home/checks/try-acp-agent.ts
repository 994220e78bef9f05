import { systemClock } from '@countersign/core';
import type { AcpSettings } from '@countersign/protocol';
import { findSandbox, tryAgent } from '@countersign/tools';
import { secretsFile } from '../../providers/secrets-key.js';

/** Why the program of an ACP agent doesn't start on this machine, as a clause; undefined if it does. It sees what it sees on a server (EXT3.14). */
export async function tryAcpAgent(acp: AcpSettings, home: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return await tryAgent(acp, {
    clock: systemClock,
    env,
    sandbox: await findSandbox(),
    hide: [home, secretsFile(home)],
  });
}
