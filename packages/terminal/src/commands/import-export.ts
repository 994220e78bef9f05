import { text } from 'node:stream/consumers';
import { ClientError } from '@countersign/client';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { findWorld } from '../find-things.js';
import { plainLine } from '../text/plain-text.js';
import { readText } from './agents.js';
import { putOut } from './audit.js';
import type { Register } from './register.js';

/** `countersign import` and `countersign export` (X3): a world as one YAML file. */
export function addImportExport(program: Command, register: Register): void {
  const imported = program
    .command('import')
    .argument('<file>', 'a YAML file, or - for standard input')
    .description('Create a world from a file. Allow rules and trust in it are only proposed.')
    .addHelpText('after', '\nExample:\n  countersign import ops.yaml');
  register(imported, async (context, { args }) => {
    const [file = '-'] = args;
    const yaml = file === '-' ? await text(context.console.stdin) : await readText(file);
    if (context.isPerson) context.note(`… ${yaml.length} characters`);
    const client = await context.client();
    const made = await client.importWorld(yaml).catch((error: unknown) => {
      if (!(error instanceof ClientError) || (error.status !== 400 && error.status !== 422)) throw error;
      const what = file === '-' ? 'What was read' : `The file "${file}"`;
      throw new CommandError(`${what} can't be imported: ${error.detail}`);
    });
    if (context.options.json) return context.json(made);
    context.say(plainLine(`Made the world "${made.id}".`));
    for (const note of made.notes) context.note(plainLine(note));
    for (const rule of made.proposed) context.note(`proposed, not in force: ${plainLine(rule)}`);
    if (made.proposed.length > 0)
      context.note(`Accept what you want of it with: countersign policy edit -w ${made.id}`);
  });
  const exported = program
    .command('export')
    .argument('[world]')
    .description('Print a world as YAML: agents, policy and MCP servers, without chats and secrets.')
    .option('-w, --world <world>', 'the world')
    .option('--out <file>', 'write to a new file instead of standard output')
    .addHelpText('after', '\nExample:\n  countersign export harbour --out harbour.yaml');
  register<{ world?: string; out?: string }>(exported, async (context, { args, options }) => {
    const client = await context.client();
    const { id } = await findWorld(client, args[0] ?? options.world);
    const yaml = await client.exportWorld(id);
    if (context.options.json && options.out === undefined) return context.json({ world: id, yaml });
    await putOut(options.out, yaml, (shown) => context.put(shown, 'text'));
    if (options.out !== undefined) context.note(`Wrote ${options.out}.`);
  });
}
