import type { McpSignInStart } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { readSecret } from '../../input/read-secret.js';
import { plainLine } from '../../text/plain-text.js';
import { errors } from '../../words/errors.js';
import { withHelp } from '../../words/help.js';
import { mcpHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { showDone } from '../show-list.js';
import { findServer, inWorld, type WorldFlag } from './find-server.js';
import { tryServer } from './try-server.js';

interface LoginFlags {
  world?: string;
  clientId?: string;
  clientSecret?: true;
  open: boolean;
}

const LOOK_AGAIN_MS = 500;

/** `countersign mcp login` and `logout`. */
export function addMcpSignIn(mcp: Command, register: Register): void {
  addLogin(mcp, register);
  addLogout(mcp, register);
}

function addLogin(mcp: Command, register: Register): void {
  register<LoginFlags>(
    withHelp(inWorld(mcp.command('login').argument('<server>')), help.login)
      .option('--client-id <id>', help.clientId)
      .option('--client-secret', help.clientSecret)
      .option('--no-open', help.noOpen),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      return await logIn(context, world, name, options);
    },
  );
}

function addLogout(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('logout').argument('<server>')), help.logout),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const server = await (await context.client()).signOutOfMcpServer(world, name);
      showDone(context, results.mcpSignedOut(name), server);
    },
  );
}

/** Opens or prints the link and waits until the browser has come back to our server. */
async function logIn(
  context: CommandContext,
  world: string,
  name: string,
  { clientId, clientSecret, open }: LoginFlags,
): Promise<ExitCode> {
  const client = await context.client();
  const secret = clientSecret === undefined ? {} : { clientSecret: await readSecret(context, results.mcpSecretPrompt) };
  const wanted = { origin: new URL(client.url).origin, ...(clientId === undefined ? {} : { clientId }), ...secret };
  const started = await client.startMcpSignIn(world, name, wanted);
  if (started.kind === 'client-needed') {
    const { issuer, redirectUrl } = started;
    throw new CommandError(errors.mcpClientNeeded(plainLine(new URL(issuer).host), redirectUrl), EXIT.failed);
  }
  await show(context, name, started, open);
  const end = Date.parse(started.expiresAt);
  for (;;) {
    const { value: server } = await client.mcpServer(world, name);
    const { pending = false, state, error } = server.signIn ?? {};
    if (!pending) {
      if (state === 'signed-in' && error === undefined)
        return await tryServer(context, world, server, results.mcpSignedIn(name, world));
      if (Date.now() >= end) throw new CommandError(errors.mcpSignInLate, EXIT.failed);
      throw new CommandError(errors.mcpNotSignedIn(plainLine(error ?? '')), EXIT.failed);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

async function show(
  context: CommandContext,
  name: string,
  { url }: Extract<McpSignInStart, { kind: 'ready' }>,
  open: boolean,
): Promise<void> {
  context.note(results.mcpSignInAt(name, plainLine(new URL(url).host)));
  // On standard error: standard output has only the result.
  context.note(plainLine(url));
  if (open) await context.servers.openBrowser(url);
  if (context.isPerson) context.note(results.mcpSigningIn);
}
