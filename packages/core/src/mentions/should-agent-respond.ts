import type { Role } from '@countersign/protocol';
import type { Addressable } from './addressable.js';
import { resolveAddressees } from './resolve-addressees.js';
import type { Speaker } from './speaker.js';

/** Whether this agent answers this message. Whoever asks for all agents of a world calls `resolveAddressees` once. */
export function shouldAgentRespond(
  agent: Pick<Addressable, 'id'>,
  message: { content: string; speaker: Speaker; role: Role },
  world: { agents: readonly Addressable[]; mainAgent?: string | undefined },
): boolean {
  // Decisions and results are not chat (M12): a result that says "@bob" must wake nobody.
  if (message.role === 'tool') return false;
  const { content, speaker } = message;
  return resolveAddressees({ content, speaker, ...world }).agentIds.includes(agent.id);
}
