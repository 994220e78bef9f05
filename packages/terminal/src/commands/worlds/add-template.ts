import { readAll, type Client } from '@countersign/client';
import {
  AGENT_TEMPLATES,
  agentsFromTemplate,
  type Agent,
  type AgentTemplateName,
  type NewAgent,
} from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import { errors } from '../../words/errors.js';

export const TEMPLATES = Object.keys(AGENT_TEMPLATES) as AgentTemplateName[];

interface TemplateOptions {
  readonly provider: string;
  readonly model: string;
  /** A different name for the agent, if the template has only one agent. */
  readonly name?: string | undefined;
  readonly flags?: Partial<NewAgent>;
}

/** Adds a template's agents. If the world has no agents yet, the first one receives messages that mention nobody (M2). */
export async function addTemplate(
  client: Client,
  world: string,
  template: AgentTemplateName,
  { provider, model, name, flags = {} }: TemplateOptions,
): Promise<Agent[]> {
  const known = await readAll((page) => client.agents(world, page));
  const agents = agentsFromTemplate(template, { provider, model, taken: known.flatMap(({ id, name }) => [id, name]) });
  if (name !== undefined && agents.length > 1) throw new CommandError(errors.templateNames(template));
  const made: Agent[] = [];
  try {
    for (const agent of agents) {
      made.push(await client.createAgent(world, { ...agent, ...flags, ...(name === undefined ? {} : { name }) }));
    }
  } catch (error) {
    // Add all of a template's agents or none.
    for (const { id } of made) await client.deleteAgent(world, id).catch(() => undefined);
    throw error;
  }
  const [first] = made;
  const isUnset = (await client.world(world)).value.mainAgent === undefined;
  if (known.length === 0 && isUnset && first !== undefined) await client.updateWorld(world, { mainAgent: first.id });
  return made;
}
