import type { Command } from 'commander';
import type { Register } from '../register.js';
import { withHelp } from '../../words/help.js';
import { NO_ALERTS, tuiHelp } from '../../words/help-chat.js';

interface TuiFlags {
  world?: string;
  chat?: string;
  alerts?: boolean;
}

/** `countersign tui` (TERM2): the full screen. */
export function addTui(program: Command, register: Register): void {
  const command = withHelp(program.command('tui'), tuiHelp)
    .option('-w, --world <world>', tuiHelp.world)
    .option('-c, --chat <chat>', tuiHelp.chat)
    .option('--no-alerts', NO_ALERTS);
  register<TuiFlags>(command, async (context, { options }) => {
    // Loaded on demand: it is larger than everything else together.
    const { runTui } = await import('../../tui/run-tui.js');
    return await runTui(context, options);
  });
}
