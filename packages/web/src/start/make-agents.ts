import type { Client } from '@countersign/client';
import { type Agent, agentsFromTemplate, type AgentTemplateName } from '@countersign/protocol';

export interface Wish {
  template: AgentTemplateName;
  provider: string;
  model: string;
}

/** Adds a template's agents to a world; the first one becomes its main agent. If one can't be added, all are removed again. */
export async function makeAgents(
  client: Client,
  worldId: string,
  { template, provider, model }: Wish,
  taken: readonly string[],
): Promise<Agent[]> {
  const made: Agent[] = [];
  try {
    for (const agent of agentsFromTemplate(template, { provider, model, taken }))
      made.push(await client.createAgent(worldId, agent));
    const [main] = made;
    if (main !== undefined) await client.updateWorld(worldId, { mainAgent: main.id });
    return made;
  } catch (error) {
    for (const { id } of made) await client.deleteAgent(worldId, id).catch(() => undefined);
    throw error;
  }
}

/** `/home/me/my project/` → `my project`, without characters that a name can't have. */
export function nameOfFolder(folder: string): string {
  const last =
    folder
      .trim()
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  return last
    .replaceAll(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .slice(0, 64);
}
