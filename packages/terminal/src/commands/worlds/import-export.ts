import { text } from 'node:stream/consumers';
import { ClientError } from '@countersign/client';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { findWorld } from '../../find-things.js';
import { plainLine } from '../../text/plain-text.js';
import { readText } from './agents.js';
import { putOut } from '../../put-out.js';
import type { Register } from '../register.js';
import { errors } from '../../words/errors.js';
import { withHelp, WORLD } from '../../words/help.js';
import { exportHelp, importHelp } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';

/** `countersign import` and `countersign export` (TERM3): a world as one YAML file. */
export function addImportExport(program: Command, register: Register): void {
  const imported = withHelp(program.command('import').argument('<file>', importHelp.file), importHelp);
  register(imported, async (context, { args }) => {
    const [file = '-'] = args;
    const yaml = file === '-' ? await text(context.console.stdin) : await readText(file);
    if (context.isPerson) context.note(results.readingImport(yaml.length));
    const client = await context.client();
    const made = await client.importWorld(yaml).catch((error: unknown) => {
      if (!(error instanceof ClientError) || (error.status !== 400 && error.status !== 422)) throw error;
      throw new CommandError(errors.cannotImport(file === '-' ? undefined : file, error.detail));
    });
    if (context.options.json) return context.json(made);
    context.say(plainLine(results.worldImported(made.id)));
    for (const note of made.notes) context.note(plainLine(note));
    for (const rule of made.proposed) context.note(results.ruleProposed(plainLine(rule)));
    if (made.proposed.length > 0) context.note(results.acceptProposed(made.id));
  });
  const exported = withHelp(program.command('export').argument('[world]'), exportHelp)
    .option('-w, --world <world>', WORLD)
    .option('--out <file>', exportHelp.out);
  register<{ world?: string; out?: string }>(exported, async (context, { args, options }) => {
    const client = await context.client();
    const { id } = await findWorld(client, args[0] ?? options.world);
    const yaml = await client.exportWorld(id);
    if (context.options.json && options.out === undefined) return context.json({ world: id, yaml });
    await putOut(options.out, yaml, (shown) => context.put(shown, 'text'));
    if (options.out !== undefined) context.note(results.wrote(options.out));
  });
}
