import { sumCosts, type Client } from '@countersign/client';
import type { Agent } from '@countersign/protocol';
import { results } from '../words/results.js';

/** What a chat has used: a line for each agent, and one for all if there are several. */
export async function chatCost(
  client: Client,
  { world, chat }: { world: string; chat: string },
  agents: readonly Agent[],
): Promise<string[]> {
  const { items } = await client.costs(world, { chat });
  if (items.length === 0) return [results.noCost];
  const nameOf = (agentId: string): string => agents.find(({ id }) => id === agentId)?.name ?? agentId;
  const each = [...sumCosts(items, ({ agentId }) => nameOf(agentId))];
  const all = each.length > 1 ? [...sumCosts(items, () => results.all)] : [];
  return [...each, ...all].map(([name, used]) => `${name}: ${results.used(used)}`);
}
