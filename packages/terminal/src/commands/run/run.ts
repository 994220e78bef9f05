import { RUN_AGENTS } from '@countersign/protocol';
import { beginRun } from '@countersign/tools/run';
import { Option, type Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { withHelp } from '../../words/help.js';
import { runHelp as help, runWords as words } from '../../words/run.js';
import { again } from '../read-flags.js';
import type { Register } from '../register.js';
import { detachRun, isDetached } from './detach-run.js';
import type { RunFlags } from './start-run.js';

/** `countersign run` (RUN1): this process supervises the program, and the server does the rest. */
export function addRun(program: Command, register: Register): void {
  const command = withHelp(program.command('run').argument('[program...]', help.program), help)
    .option('-w, --world <world>', help.world)
    .option('--allow-host <host>', help.allowHost, again)
    .option('--port <n>', help.port, again)
    .option('--branch <name>', help.branch)
    .option('--allow-fetch', help.allowFetch)
    .option('--detach', help.detach)
    .option('--again <run>', help.again)
    .addOption(new Option('--agent <agent>').choices(RUN_AGENTS).hideHelp());
  register<RunFlags>(command, async (context, { args, options }) => {
    const isNew = options.again === undefined;
    if (isNew && options.agent === undefined && args.length === 0) throw new CommandError(words.noProgram);
    if (options.detach === true && !isDetached(context)) return await detachRun(context);
    const begun = beginRun();
    try {
      const { startRun } = await import('./start-run.js');
      return await startRun(context, { given: args, options, begun });
    } finally {
      await begun.close();
    }
  });
}
