import { resolve } from 'node:path';
import { readAll, type Client } from '@countersign/client';
import type { NewWorld, World } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import { editJson } from '../../input/edit-text.js';
import { findAgent, findWorld } from '../../find-things.js';
import { again, readChoice, readCount, readDuration } from '../read-flags.js';
import type { Register } from '../register.js';
import { showDone, showList, showThing } from '../show-list.js';
import { errors } from '../../words/errors.js';
import { withHelp, YES } from '../../words/help.js';
import { worldsHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';

interface WorldFlags {
  name?: string;
  description?: string;
  folder?: string;
  root?: string[];
  mode?: string;
  mainAgent?: string;
  turnLimit?: string;
  unattended?: string;
  rehearse?: string;
  approvalTimeout?: string;
  maxIterations?: string;
  maxParallel?: string;
  streaming?: boolean;
}

/** `countersign worlds` (TERM3). */
export function addWorlds(program: Command, register: Register): void {
  const worlds = program.command('worlds').description(help.about);
  register(withHelp(worlds.command('list', { isDefault: true }), help.list), async (context) => {
    const client = await context.client();
    const all = await readAll((page) => client.worlds(page));
    const columns = [
      { title: 'name', of: ({ name }: World) => name },
      { title: 'id', of: ({ id }: World) => id },
      { title: 'mode', of: ({ mode }: World) => mode },
      { title: 'folder', of: ({ folder, workingDirectory }: World) => folder ?? workingDirectory ?? '' },
      { title: 'description', of: ({ description }: World) => description ?? '' },
    ];
    showList(context, all, columns, results.noWorlds);
  });
  register(withHelp(worlds.command('show').argument('<world>'), help.show), async (context, { args }) => {
    showThing(context, await findWorld(await context.client(), args[0]));
  });
  register<WorldFlags>(
    withFlags(withHelp(worlds.command('add').argument('<name>'), help.add)),
    async (context, { args, options }) => {
      const client = await context.client();
      const made = await client.createWorld({ name: args[0] ?? '', ...readFlags(options) });
      showDone(context, results.worldCreated(made.id), made);
    },
  );
  const edit = withHelp(worlds.command('edit').argument('<world>'), help.edit);
  register<WorldFlags>(withFlags(edit.option('--name <name>', help.name)), async (context, { args, options }) => {
    const client = await context.client();
    const { id } = await findWorld(client, args[0]);
    const { value, etag } = await client.world(id);
    const { id: _, lastEventId: __, folder: ___, ...settings } = value;
    // Not validated here: the server reports invalid fields by name.
    const save = async (change: unknown): Promise<World> =>
      await client.updateWorld(id, change as Partial<NewWorld>, etag === undefined ? {} : { ifMatch: etag });
    const changed =
      Object.keys(options).length > 0
        ? await save(readFlags(await withAgentId(client, id, options)))
        : await editJson(context, settings, 'world.json', save);
    if (changed === undefined) return context.note(results.nothingChanged);
    showDone(context, results.worldChanged(changed.id), changed);
  });
  const remove = withHelp(worlds.command('remove').argument('<world>'), help.remove).option('--yes', YES);
  register<{ yes?: boolean }>(remove, async (context, { args, options }) => {
    const client = await context.client();
    const { id, name } = await findWorld(client, args[0]);
    await confirm(context, {
      yes: options.yes,
      what: results.worldRemoval(name),
      word: id,
    });
    await client.deleteWorld(id);
    showDone(context, results.worldRemoved(id), { removed: id });
  });
}

/** People refer to an agent by its name; the server expects its id. */
async function withAgentId(client: Client, world: string, flags: WorldFlags): Promise<WorldFlags> {
  const { mainAgent } = flags;
  if (mainAgent === undefined || mainAgent === 'none') return flags;
  return { ...flags, mainAgent: (await findAgent(client, world, mainAgent)).id };
}

function withFlags(command: Command): Command {
  return command
    .option('--description <text>', help.description)
    .option('--folder <dir>', help.folder)
    .option('--root <dir>', help.root, again)
    .option('--mode <mode>', help.mode)
    .option('--main-agent <agent>', help.mainAgent)
    .option('--turn-limit <n>', help.turnLimit)
    .option('--max-iterations <n>', help.maxIterations)
    .option('--max-parallel <n>', help.maxParallel)
    .option('--streaming', help.streaming)
    .option('--no-streaming', help.noStreaming)
    .option('--unattended <what>', help.unattended)
    .option('--rehearse <when>', help.rehearse)
    .option('--approval-timeout <time>', help.approvalTimeout);
}

function readFlags(flags: WorldFlags): Partial<NewWorld> {
  const { name, description, folder, mode, mainAgent, turnLimit, unattended, approvalTimeout } = flags;
  const { maxIterations, maxParallel, streaming, rehearse, root } = flags;
  if (folder === '') throw new CommandError(errors.emptyFolder);
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(folder === undefined ? {} : { workingDirectory: resolve(folder) }),
    ...(root === undefined ? {} : { roots: root.map((dir) => resolve(dir)) }),
    ...(mode === undefined ? {} : { mode: readChoice(mode, '--mode', ['read', 'ask', 'auto']) }),
    ...(mainAgent === undefined ? {} : mainAgent === 'none' ? nothing('mainAgent') : { mainAgent }),
    ...(turnLimit === undefined ? {} : { turnLimit: readCount(turnLimit, '--turn-limit') }),
    ...(maxIterations === undefined ? {} : { maxIterations: readCount(maxIterations, '--max-iterations') }),
    ...(maxParallel === undefined ? {} : { maxParallelTools: readCount(maxParallel, '--max-parallel') }),
    ...(streaming === undefined ? {} : { streaming }),
    ...(unattended === undefined ? {} : { unattended: readChoice(unattended, '--unattended', ['wait', 'deny']) }),
    ...(rehearse === undefined ? {} : { rehearse: readChoice(rehearse, '--rehearse', ['on', 'off']) }),
    ...(approvalTimeout === undefined ? {} : timeoutOf(approvalTimeout)),
  };
}

/** A change that removes a setting, using null. */
function nothing(setting: keyof NewWorld): Partial<NewWorld> {
  return { [setting]: null };
}

function timeoutOf(text: string): Partial<NewWorld> {
  if (text === 'none') return nothing('approvalTimeoutMs');
  return { approvalTimeoutMs: readDuration(text, '--approval-timeout') };
}
