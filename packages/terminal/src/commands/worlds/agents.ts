import { createReadStream } from 'node:fs';
import { addTemplate, readAll, type Change } from '@countersign/client';
import {
  AGENT_TEMPLATE_NAMES,
  AGENT_TEMPLATES,
  type Agent,
  type ModelSettings,
  type NewAgent,
  type SavedAgent,
} from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import { editJson } from '../../input/edit-text.js';
import { clientIn, findAgent, findChat } from '../../find-things.js';
import { showMessage } from './chats.js';
import { warnOfAcp } from './warn-of-acp.js';
import { warnOfTools } from './warn-of-tools.js';
import { acpDefaults, readAcpFlags, withAcpFlags, type AcpFlags } from './acp-flags.js';
import { readModelFlags, withModelFlags, type ModelFlags } from './model-flags.js';
import { again, readChoice } from '../read-flags.js';
import type { Register } from '../register.js';
import { showDone, showList, showThing } from '../show-list.js';
import { warnUnknownModel } from '../machine/warn-unknown-model.js';
import { errors } from '../../words/errors.js';
import { CHAT, withHelp, WORLD, YES } from '../../words/help.js';
import { agentsHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';

interface AgentFlags extends ModelFlags, AcpFlags {
  world?: string;
  name?: string;
  provider?: string;
  model?: string;
  prompt?: string;
  promptFile?: string;
  tools?: string;
  rule?: string[];
  template?: string;
  active?: boolean;
}

/** `countersign agents` (TERM3). */
export function addAgents(program: Command, register: Register): void {
  const agents = program.command('agents').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD);
  register<AgentFlags>(
    withHelp(inWorld(agents.command('list', { isDefault: true })), help.list),
    async (context, { options }) => {
      const { client, world } = await clientIn(context, options.world);
      const all = await readAll((page) => client.agents(world, page));
      const columns = [
        { title: 'id', of: ({ id }: Agent) => id },
        { title: 'name', of: ({ name }: Agent) => name },
        { title: 'model', of: ({ provider, model }: Agent) => `${provider}/${model}` },
        { title: 'active', of: ({ active }: Agent) => (active ? 'yes' : 'no') },
        { title: 'tools', of: ({ tools }: Agent) => tools.join(', ') },
      ];
      showList(context, all, columns, results.noAgents(world));
    },
  );
  register<AgentFlags>(
    withHelp(inWorld(agents.command('show').argument('<agent>')), help.show),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      showThing(context, await findAgent(client, world, args[0] ?? ''));
    },
  );
  register<AgentFlags>(
    withFlags(withHelp(inWorld(agents.command('add').argument('[name]')), help.add)).option(
      '--template <name>',
      help.template,
    ),
    async (context, { args: [name], options }) => {
      const acp = readAcpFlags(options);
      const { provider, model } = { ...acpDefaults(acp), ...options };
      const template =
        options.template === undefined ? undefined : readChoice(options.template, '--template', AGENT_TEMPLATE_NAMES);
      if (name === undefined && template === undefined) throw new CommandError(errors.needsAgentName);
      if (provider === undefined || model === undefined) throw new CommandError(errors.needsModel);
      const flags = { ...(await readFlags(options)), ...withoutNulls(readModelFlags(options)), ...acp };
      if (name !== undefined && template !== undefined && AGENT_TEMPLATES[template].agents.length > 1)
        throw new CommandError(errors.templateNames(template));
      const change = { ...flags, ...(name === undefined ? {} : { name }) };
      const { client, world } = await clientIn(context, options.world);
      const made =
        template === undefined
          ? [await client.createAgent(world, { ...flags, name: name ?? '', provider, model })]
          : await addTemplate(client, world, template, { provider, model, change, main: 'if-empty' });
      const [first] = made;
      if (first !== undefined) warnUnknownModel(context, first);
      if (context.options.json) context.json(made.length === 1 ? first : { items: made });
      else for (const agent of made) showDone(context, results.agentAdded(agent.id, world), agent);
      for (const { tools } of made) await warnOfTools(context, client, world, tools);
      await warnOfAcp(context, first?.acp);
    },
  );
  const edit = withHelp(inWorld(agents.command('edit').argument('<agent>')), help.edit);
  register<AgentFlags>(withFlags(edit.option('--name <name>', help.name)), async (context, { args, options }) => {
    const { client, world } = await clientIn(context, options.world);
    const { id } = await findAgent(client, world, args[0] ?? '');
    const { value, etag } = await client.agent(world, id);
    const { id: _, ...definition } = value;
    const { world: __, ...flags } = options;
    // Not validated here: the server reports invalid fields by name.
    const save = async (change: unknown): Promise<SavedAgent> =>
      await client.updateAgent(world, id, change as Partial<NewAgent>, etag === undefined ? {} : { ifMatch: etag });
    const changed =
      Object.keys(flags).length > 0
        ? await save({ ...(await readFlags(flags)), ...readModelFlags(flags), ...readAcpFlags(flags, value.acp) })
        : await editJson(context, definition, 'agent.json', save);
    if (changed === undefined) return context.note(results.nothingChanged);
    if (changed.model !== value.model || changed.provider !== value.provider) warnUnknownModel(context, changed);
    showDone(context, results.agentChanged(changed.id), changed);
    if (flags.tools !== undefined) await warnOfTools(context, client, world, changed.tools);
    if (flags.command !== undefined || flags.program !== undefined) await warnOfAcp(context, changed.acp);
  });
  register<AgentFlags & { chat: string }>(
    withHelp(inWorld(agents.command('memory').argument('<agent>')), help.memory).option(
      '-c, --chat <chat>',
      CHAT,
      'last',
    ),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const { id } = await findAgent(client, world, args[0] ?? '');
      const chat = await findChat(client, world, options.chat);
      const messages = await readAll((page) => client.memory(world, id, chat.id, page));
      if (context.options.json) context.json({ items: messages });
      else
        for (const message of messages)
          showMessage(message, context.columns() ?? 100, (line) => context.say(line), 'full');
    },
  );
  const remove = withHelp(inWorld(agents.command('remove').argument('<agent>')), help.remove).option('--yes', YES);
  register<{ world?: string; yes?: boolean }>(remove, async (context, { args, options }) => {
    const { client, world } = await clientIn(context, options.world);
    const { id, name } = await findAgent(client, world, args[0] ?? '');
    await confirm(context, { yes: options.yes, what: results.agentRemoval(name, world) });
    await client.deleteAgent(world, id);
    showDone(context, results.agentRemoved(id), { removed: id });
  });
}

function withFlags(command: Command): Command {
  return withAcpFlags(withModelFlags(command))
    .option('--provider <name>', help.provider)
    .option('--model <name>', help.model)
    .option('--prompt <text>', help.prompt)
    .option('--prompt-file <file>', help.promptFile)
    .option('--tools <list>', help.tools)
    .option('--rule <rule>', help.rule, again)
    .option('--active', help.active)
    .option('--no-active', help.noActive);
}

async function readFlags(flags: AgentFlags): Promise<Partial<NewAgent>> {
  const { name, provider, model, prompt, promptFile, tools, rule, active } = flags;
  const systemPrompt = promptFile === undefined ? prompt : await readText(promptFile);
  return {
    ...(name === undefined ? {} : { name }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools
            .split(',')
            .map((tool) => tool.trim())
            .filter((tool) => tool !== ''),
        }),
    ...(rule === undefined ? {} : { policy: rule }),
    ...(active === undefined ? {} : { active }),
  };
}

/** Removes nulls: a new agent has the model's defaults anyway. */
function withoutNulls(settings: Change<ModelSettings>): ModelSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

const LARGEST_FILE = 10 * 1024 * 1024;

/** Stops at a limit: a device such as `/dev/zero` never ends. */
async function readAtMost(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > LARGEST_FILE) throw new Error(errors.largerThan(LARGEST_FILE / 1024 / 1024));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export async function readText(file: string): Promise<string> {
  try {
    return await readAtMost(createReadStream(file));
  } catch (error) {
    throw new CommandError(errors.cannotRead(file, error instanceof Error ? error.message : String(error)));
  }
}
