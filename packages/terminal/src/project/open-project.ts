import { addTemplate, readAll, type Client } from '@countersign/client';
import {
  AGENT_TEMPLATE_NAMES,
  AGENT_TEMPLATES,
  nameFrom,
  type AgentTemplateName,
  type World,
} from '@countersign/protocol';
import { talkIn } from '../commands/talk/chat.js';
import type { CommandContext } from '../context.js';
import { wrapLines } from '../text/behind-bar.js';
import { projectWords as words } from '../words/project.js';
import { choose } from './choose.js';
import { chooseModel } from './choose-model.js';
import { chooseProvider, realProviders } from './choose-provider.js';

const DEMO = 'harbour';

/** Opens a chat in this folder's world (TERM1.3). A new world grants nothing: mode `ask`, no rules, no servers. */
export async function openProject(context: CommandContext, folder: string): Promise<number> {
  const client = await context.client('resume');
  context.leave();
  const worlds = await readAll((page) => client.worlds(page));
  const found = worlds.find(({ workingDirectory }) => workingDirectory === folder);
  const hasAgents = found !== undefined && (await client.agents(found.id)).items.length > 0;
  if (found !== undefined && hasAgents) return await talkIn(context, client, found);
  const demo = worlds.find(({ id }) => id === DEMO);
  if (demo !== undefined && (await realProviders(client)).length === 0) {
    const next = await choose(context, words.noModel, [
      { label: words.realModel, value: 'model' },
      { label: words.demo, value: 'demo' },
    ] as const);
    if (next === 'demo') return await talkIn(context, client, demo);
  }
  return await talkIn(context, client, await setUp(context, client, folder, found));
}

async function setUp(
  context: CommandContext,
  client: Client,
  folder: string,
  found: World | undefined,
): Promise<World> {
  const { provider, model } = await chooseBoth(context, client);
  const template = await chooseTemplate(context);
  const name = nameFrom(folder, 'project') || 'Project';
  const world = found ?? (await client.createWorld({ name, workingDirectory: folder }));
  try {
    const agents = await addTemplate(client, world.id, template, { provider, model, main: 'if-empty' });
    const names = agents.map(({ name }) => name).join(', ');
    context.say('');
    for (const line of wrapLines(words.ready(world.name, names), context.columns() ?? 80)) context.say(line);
    context.say('');
  } catch (error) {
    if (found === undefined) await client.deleteWorld(world.id).catch(() => undefined);
    throw error;
  }
  return (await client.world(world.id)).value;
}

async function chooseBoth(context: CommandContext, client: Client): Promise<{ provider: string; model: string }> {
  for (;;) {
    const reached = await chooseProvider(context, client);
    const model = await chooseModel(context, client, reached);
    if (model !== undefined) return { provider: reached.provider.id, model };
  }
}

async function chooseTemplate(context: CommandContext): Promise<AgentTemplateName> {
  const options = AGENT_TEMPLATE_NAMES.map((name) => ({
    label: AGENT_TEMPLATES[name].label,
    detail: AGENT_TEMPLATES[name].description,
    value: name,
  }));
  return await choose(context, words.whichAgent, options);
}
