import type { Command } from 'commander';
import { resolve } from 'node:path';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import type { Register } from './register.js';

/** `countersign open` (X1): signs a browser in to a running server. */
export function addOpen(program: Command, register: Register): void {
  const command = program
    .command('open')
    .description('Print a new start link for the running server, and open it in the browser.')
    .option('--no-open', 'print the link and open nothing')
    .addHelpText('after', '\nThe link signs one browser in, within a minute. With --json: {"open","expiresAt"}.')
    .addHelpText('after', '\nExample:\n  countersign open --no-open');
  register<{ open: boolean }>(command, async (context, { options }) => {
    // Check first: connecting would start a server, and create a home, only to end at once.
    if (!(await isServerThere(context))) {
      throw new CommandError('No server runs on this home. Start one with countersign serve.', EXIT.failed);
    }
    const client = await context.client();
    const { ticket, expiresAt } = await client.startLink();
    // Use the address that this command used: behind a proxy the server knows another one.
    const open = `${client.url}/#ticket=${ticket}`;
    if (context.options.json) {
      context.json({ open, expiresAt });
      return;
    }
    context.say(open);
    context.note('The link signs one browser in, within a minute.');
    if (options.open) await context.door.openBrowser(open);
  });
}

async function isServerThere({ door, options, console: { env } }: CommandContext): Promise<boolean> {
  if ((options.url ?? env['COUNTERSIGN_URL'] ?? '') !== '') return true;
  const home = options.home === undefined ? await door.defaultHome() : resolve(options.home);
  return (await door.find(home)) !== undefined;
}
