import { type SavedAgent, agentsFromTemplate, type AgentTemplateName, type NewAgent } from '@countersign/protocol';
import type { Client } from './http/client.js';
import { readAll } from './http/read-all.js';

export interface TemplateOptions {
  readonly provider: string;
  readonly model: string;
  /** Overrides fields of each agent. */
  readonly change?: Partial<NewAgent>;
  /** When the template's first agent becomes the main agent. `if-empty`: only in a world without agents. */
  readonly main: 'always' | 'if-empty';
}

/** Adds all of a template's agents (WORLD13). If anything fails, they are removed again. */
export async function addTemplate(
  client: Client,
  worldId: string,
  template: AgentTemplateName,
  { provider, model, change, main }: TemplateOptions,
): Promise<SavedAgent[]> {
  const known = await readAll((page) => client.agents(worldId, page));
  const taken = known.flatMap(({ id, name }) => [id, name]);
  const made: SavedAgent[] = [];
  try {
    for (const agent of agentsFromTemplate(template, { provider, model, taken }))
      made.push(await client.createAgent(worldId, { ...agent, ...change }));
    const [first] = made;
    const isEmpty = known.length === 0 && (await client.world(worldId)).value.mainAgent === undefined;
    if (first !== undefined && (main === 'always' || isEmpty))
      await client.updateWorld(worldId, { mainAgent: first.id });
    return made;
  } catch (error) {
    for (const { id } of made) await client.deleteAgent(worldId, id).catch(() => undefined);
    throw error;
  }
}
