import type { Command } from 'commander';
import { resolve } from 'node:path';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import type { Register } from '../register.js';
import { errors } from '../../words/errors.js';
import { withHelp } from '../../words/help.js';
import { openHelp as help } from '../../words/help-server.js';

const LOOPBACK = /^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::|$)/;

/** `countersign open` (TERM1): signs a browser in to a running server. */
export function addOpen(program: Command, register: Register): void {
  const command = withHelp(program.command('open'), help).option('--no-open', help.noOpen);
  register<{ open: boolean }>(command, async (context, { options }) => {
    // Check first: connecting would start a server and create a home folder.
    if (!(await isServerThere(context))) {
      throw new CommandError(errors.noServer, EXIT.failed);
    }
    const client = await context.client();
    const link = await client.startLink();
    const { ticket, expiresAt } = link;
    // A server on this machine knows its public URL. Otherwise, use the URL that this command connects to: behind a proxy, the server's own URL
    // is different.
    const open = LOOPBACK.test(client.url) ? link.open : `${client.url}/#ticket=${ticket}`;
    if (context.options.json) {
      context.json({ open, expiresAt });
      return;
    }
    context.say(open);
    context.note(help.done);
    if (options.open) await context.servers.openBrowser(open);
  });
}

async function isServerThere({ servers, options, console: { env } }: CommandContext): Promise<boolean> {
  if ((options.url ?? env['COUNTERSIGN_URL'] ?? '') !== '') return true;
  const home = options.home === undefined ? await servers.defaultHome() : resolve(options.home);
  return (await servers.find(home)) !== undefined;
}
