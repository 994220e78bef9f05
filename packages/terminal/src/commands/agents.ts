import { readFile } from 'node:fs/promises';
import { readAll } from '@countersign/client';
import type { Agent, NewAgent } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { confirm } from '../confirm.js';
import { editJson } from '../edit-text.js';
import { findAgent, findChat, findWorld } from '../find-things.js';
import { showMessage } from './chats.js';
import { readNumber } from './read-flags.js';
import type { Register } from './register.js';
import { showDone, showList, showThing } from './show-list.js';
import { again } from './serve.js';

interface AgentFlags {
  world?: string;
  name?: string;
  provider?: string;
  model?: string;
  prompt?: string;
  promptFile?: string;
  tools?: string;
  rule?: string[];
  temperature?: string;
  maxTokens?: string;
  active?: boolean;
}

/** `countersign agents` (X3). */
export function addAgents(program: Command, register: Register): void {
  const agents = program.command('agents').description('Manage the agents of a world: name, prompt, model and tools.');
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', 'the world');
  register<AgentFlags>(
    inWorld(agents.command('list', { isDefault: true }))
      .description('List the agents of a world.')
      .addHelpText('after', '\nExample:\n  countersign agents list -w harbour'),
    async (context, { options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const all = await readAll((page) => client.agents(world, page));
      const columns = [
        { title: 'id', of: ({ id }: Agent) => id },
        { title: 'name', of: ({ name }: Agent) => name },
        { title: 'model', of: ({ provider, model }: Agent) => `${provider}/${model}` },
        { title: 'active', of: ({ active }: Agent) => (active ? 'yes' : 'no') },
        { title: 'tools', of: ({ tools }: Agent) => tools.join(', ') },
      ];
      showList(
        context,
        all,
        columns,
        `"${world}" has no agent yet. Add one with: countersign agents add NAME -w ${world} --provider P --model M`,
      );
    },
  );
  register<AgentFlags>(
    inWorld(agents.command('show').argument('<agent>'))
      .description('Show an agent with its prompt and tools.')
      .addHelpText('after', '\nExample:\n  countersign agents show scout -w harbour'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      showThing(context, await findAgent(client, world, args[0] ?? ''));
    },
  );
  const add = withFlags(inWorld(agents.command('add').argument('<name>')).description('Add an agent to a world.'));
  register<AgentFlags>(
    add.addHelpText(
      'after',
      '\nExample:\n  countersign agents add Scout -w ops --provider ollama --model llama3 --tools "read_file,grep"',
    ),
    async (context, { args, options }) => {
      const { provider, model } = options;
      if (provider === undefined || model === undefined) {
        throw new CommandError(
          'An agent needs --provider and --model, such as --provider anthropic --model claude-sonnet-4-5.',
        );
      }
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const made = await client.createAgent(world, {
        ...(await readFlags(options)),
        name: args[0] ?? '',
        provider,
        model,
      });
      showDone(context, `Added the agent "${made.id}" to "${world}".`, made);
    },
  );
  const edit = withFlags(inWorld(agents.command('edit').argument('<agent>')).option('--name <name>', 'new name'));
  register<AgentFlags>(
    edit
      .description('Edit an agent; without flags, in your editor.')
      .addHelpText('after', '\nExample:\n  countersign agents edit scout -w ops --model llama3.3'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const { id } = await findAgent(client, world, args[0] ?? '');
      const { value, etag } = await client.agent(world, id);
      const { id: _, ...definition } = value;
      const { world: __, ...flags } = options;
      // The server checks it and names the wrong field.
      const save = async (change: unknown): Promise<Agent> =>
        await client.updateAgent(world, id, change as Partial<NewAgent>, etag === undefined ? {} : { ifMatch: etag });
      const changed =
        Object.keys(flags).length > 0
          ? await save(await readFlags(flags))
          : await editJson(context, definition, 'agent.json', save);
      if (changed === undefined) return context.note('Nothing was changed.');
      showDone(context, `Changed the agent "${changed.id}".`, changed);
    },
  );
  register<AgentFlags & { chat: string }>(
    inWorld(agents.command('memory').argument('<agent>'))
      .description('Print what an agent knows of a chat: messages, calls, results and answers.')
      .option('-c, --chat <chat>', 'the chat: its id, or "last"', 'last')
      .addHelpText('after', '\nExample:\n  countersign agents memory mason -w harbour -c last --json'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const { id } = await findAgent(client, world, args[0] ?? '');
      const chat = await findChat(client, world, options.chat);
      const messages = await readAll((page) => client.memory(world, id, chat.id, page));
      if (context.options.json) context.json({ items: messages });
      else
        for (const message of messages)
          showMessage(message, context.columns() ?? 100, (line) => context.say(line), 'with-calls');
    },
  );
  const remove = inWorld(agents.command('remove').argument('<agent>'))
    .description('Remove an agent.')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nExample:\n  countersign agents remove scout -w ops');
  register<{ world?: string; yes?: boolean }>(remove, async (context, { args, options }) => {
    const client = await context.client();
    const { id: world } = await findWorld(client, options.world);
    const { id, name } = await findAgent(client, world, args[0] ?? '');
    await confirm(context, { yes: options.yes, what: `The agent "${name}" will be gone from "${world}".` });
    await client.deleteAgent(world, id);
    showDone(context, `Removed the agent "${id}".`, { removed: id });
  });
}

function withFlags(command: Command): Command {
  return command
    .option('--provider <name>', 'provider: anthropic, openai, google, ollama, scripted')
    .option('--model <name>', 'model name')
    .option('--prompt <text>', 'its system prompt')
    .option('--prompt-file <file>', 'its system prompt, from a file')
    .option('--tools <list>', 'comma-separated names or globs of the tools it may use')
    .option('--rule <rule>', "a rule of its own, stricter than the world's; repeatable", again)
    .option('--temperature <n>', 'sampling temperature (0–2)')
    .option('--max-tokens <n>', 'maximum tokens per answer')
    .option('--active', 'let it answer')
    .option('--no-active', 'keep it from answering');
}

async function readFlags(flags: AgentFlags): Promise<Partial<NewAgent>> {
  const { name, provider, model, prompt, promptFile, tools, rule, temperature, maxTokens, active } = flags;
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
    ...(temperature === undefined ? {} : { temperature: readNumber(temperature, '--temperature') }),
    ...(maxTokens === undefined ? {} : { maxTokens: readNumber(maxTokens, '--max-tokens') }),
    ...(active === undefined ? {} : { active }),
  };
}

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(
      `The file "${file}" can't be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}
