import { resolve } from 'node:path';
import { readAll } from '@countersign/client';
import type { NewWorld, World } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { confirm } from '../confirm.js';
import { editJson } from '../edit-text.js';
import { findWorld } from '../find-things.js';
import { readChoice, readCount, readDuration } from './read-flags.js';
import type { Register } from './register.js';
import { showDone, showList, showThing } from './show-list.js';

interface WorldFlags {
  name?: string;
  description?: string;
  folder?: string;
  mode?: string;
  mainAgent?: string;
  turnLimit?: string;
  unattended?: string;
  approvalTimeout?: string;
  maxIterations?: string;
  maxParallel?: string;
  streaming?: boolean;
}

/** `countersign worlds` (X3). */
export function addWorlds(program: Command, register: Register): void {
  const worlds = program.command('worlds').description('Manage worlds: agents, chats, tools and a policy each.');
  register(
    worlds
      .command('list', { isDefault: true })
      .description('List all worlds.')
      .addHelpText('after', '\nExample:\n  countersign worlds list --json'),
    async (context) => {
      const client = await context.client();
      const all = await readAll((page) => client.worlds(page));
      const columns = [
        { title: 'id', of: ({ id }: World) => id },
        { title: 'name', of: ({ name }: World) => name },
        { title: 'mode', of: ({ mode }: World) => mode },
        { title: 'description', of: ({ description }: World) => description ?? '' },
      ];
      showList(context, all, columns, 'There is no world yet. Create one with: countersign worlds add NAME');
    },
  );
  register(
    worlds
      .command('show')
      .argument('<world>')
      .description('Show a world with its settings.')
      .addHelpText('after', '\nExample:\n  countersign worlds show harbour --json'),
    async (context, { args }) => {
      showThing(context, await findWorld(await context.client(), args[0]));
    },
  );
  const add = worlds.command('add').argument('<name>').description('Create a world.');
  register<WorldFlags>(
    withFlags(add).addHelpText('after', '\nExample:\n  countersign worlds add Ops --folder ~/ops --mode ask'),
    async (context, { args, options }) => {
      const client = await context.client();
      const made = await client.createWorld({ name: args[0] ?? '', ...readFlags(options) });
      showDone(
        context,
        `Made the world "${made.id}". Give it an agent: countersign agents add NAME -w ${made.id} …`,
        made,
      );
    },
  );
  const edit = worlds.command('edit').argument('<world>').description('Edit a world; without flags, in your editor.');
  register<WorldFlags>(
    withFlags(edit.option('--name <name>', 'its name')).addHelpText(
      'after',
      '\nExample:\n  countersign worlds edit ops --mode read',
    ),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id } = await findWorld(client, args[0]);
      const { value, etag } = await client.world(id);
      const { id: _, lastEventId: __, ...settings } = value;
      // The server checks it and names the wrong field.
      const save = async (change: unknown): Promise<World> =>
        await client.updateWorld(id, change as Partial<NewWorld>, etag === undefined ? {} : { ifMatch: etag });
      const changed =
        Object.keys(options).length > 0
          ? await save(readFlags(options))
          : await editJson(context, settings, 'world.json', save);
      if (changed === undefined) return context.note('Nothing was changed.');
      showDone(context, `Changed the world "${changed.id}".`, changed);
    },
  );
  const remove = worlds
    .command('remove')
    .argument('<world>')
    .description('Delete a world with its agents and chats.')
    .option('--yes', 'skip the confirmation');
  register<{ yes?: boolean }>(
    remove.addHelpText('after', '\nExample:\n  countersign worlds remove ops'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id, name } = await findWorld(client, args[0]);
      await confirm(context, {
        yes: options.yes,
        what: `The world "${name}" and all its chats will be gone.`,
        word: id,
      });
      await client.deleteWorld(id);
      showDone(context, `Deleted the world "${id}". Its audit log is kept.`, { removed: id });
    },
  );
}

function withFlags(command: Command): Command {
  return command
    .option('--description <text>', 'description')
    .option('--folder <dir>', 'the working folder of its agents')
    .option('--mode <mode>', 'read, ask or auto')
    .option('--main-agent <agent>', 'the agent that receives messages without a mention; "none": all agents do')
    .option('--turn-limit <n>', 'turns an agent may take before a person has to write')
    .option('--max-iterations <n>', 'maximum model calls per turn')
    .option('--max-parallel <n>', 'how many read-only tools may run at once')
    .option('--streaming', 'stream answers')
    .option('--no-streaming', 'show answers when they are complete')
    .option('--unattended <what>', 'wait or deny, if nobody can be asked')
    .option('--approval-timeout <time>', 'approvals expire after this, such as 30s or 5m; "none" for never');
}

function readFlags(flags: WorldFlags): Partial<NewWorld> {
  const { name, description, folder, mode, mainAgent, turnLimit, unattended, approvalTimeout } = flags;
  const { maxIterations, maxParallel, streaming } = flags;
  if (folder === '') throw new CommandError('--folder must not be empty.');
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(folder === undefined ? {} : { workingDirectory: resolve(folder) }),
    ...(mode === undefined ? {} : { mode: readChoice(mode, '--mode', ['read', 'ask', 'auto']) }),
    ...(mainAgent === undefined ? {} : mainAgent === 'none' ? nothing('mainAgent') : { mainAgent }),
    ...(turnLimit === undefined ? {} : { turnLimit: readCount(turnLimit, '--turn-limit') }),
    ...(maxIterations === undefined ? {} : { maxIterations: readCount(maxIterations, '--max-iterations') }),
    ...(maxParallel === undefined ? {} : { maxParallelTools: readCount(maxParallel, '--max-parallel') }),
    ...(streaming === undefined ? {} : { streaming }),
    ...(unattended === undefined ? {} : { unattended: readChoice(unattended, '--unattended', ['wait', 'deny']) }),
    ...(approvalTimeout === undefined ? {} : timeoutOf(approvalTimeout)),
  };
}

/** Null takes a setting away. */
function nothing(setting: keyof NewWorld): Partial<NewWorld> {
  return { [setting]: null };
}

function timeoutOf(text: string): Partial<NewWorld> {
  if (text === 'none') return nothing('approvalTimeoutMs');
  return { approvalTimeoutMs: readDuration(text, '--approval-timeout') };
}
