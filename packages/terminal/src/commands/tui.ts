import type { Command } from 'commander';
import type { Register } from './register.js';

interface TuiFlags {
  world?: string;
  chat?: string;
}

/** `countersign tui` (X2): the full screen. */
export function addTui(program: Command, register: Register): void {
  const command = program
    .command('tui')
    .description('Open the full-screen UI: agents, transcript and waiting calls side by side.')
    .option('-w, --world <world>', 'the world; required if there are several')
    .option('-c, --chat <chat>', 'start with this chat: its id, or "last"')
    .addHelpText('after', '\nExample:\n  countersign tui -w harbour');
  register<TuiFlags>(command, async (context, { options }) => {
    // Loaded when it is wanted: it is larger than all the rest.
    const { runTui } = await import('../tui/run-tui.js');
    return await runTui(context, options);
  });
}
