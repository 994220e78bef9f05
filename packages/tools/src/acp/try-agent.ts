import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, type Clock } from '@countersign/core/ports';
import type { AcpSettings } from '@countersign/protocol';
import { openSession } from './open-session.js';
import type { AgentPlace } from './start-agent.js';

/** Starts an agent's program, opens a session without a prompt, and ends it. Resolves to what went wrong, as a clause. */
export async function tryAgent(
  acp: AcpSettings,
  { clock, ...place }: { clock: Clock } & AgentPlace,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-acp-'));
  try {
    const session = await openSession({ acp, workingDirectory: folder, stored: undefined, clock, place });
    await session.close();
    return undefined;
  } catch (error) {
    return errorMessage(error).replace(/\.$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
