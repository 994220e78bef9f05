import type { CreatedExternalAgent } from '@countersign/protocol';
import type { CommandContext } from '../context.js';
import { gate } from '../words/gate.js';

/** Revokes the token in a hook's configuration. The gate no longer uses it either way, so a failure is only a note. */
export async function revokeToken(context: CommandContext, hookConfig: string): Promise<void> {
  try {
    const { person, tokenId } = JSON.parse(hookConfig) as { person?: unknown; tokenId?: unknown };
    if (typeof person !== 'string' || typeof tokenId !== 'string') return context.note(gate.tokenKept);
    await (await context.client()).revokeToken(person, tokenId);
  } catch {
    context.note(gate.tokenKept);
  }
}

/** After an installation that failed: revokes its token, and removes its agent if the installation added it. */
export async function removeCreated(
  context: CommandContext,
  world: string,
  { agent, created, person, tokenId }: CreatedExternalAgent,
): Promise<void> {
  const client = await context.client();
  await client.revokeToken(person, tokenId).catch(() => context.note(gate.tokenKept));
  if (created) await client.deleteAgent(world, agent).catch(() => context.note(gate.agentKept(agent, world)));
}
