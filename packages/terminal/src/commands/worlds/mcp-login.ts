import type { McpSignInStart } from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { readSecret } from '../../read-secret.js';
import { plainLine } from '../../text/plain-text.js';
import { errors } from '../../words/errors.js';
import { results } from '../../words/results.js';
import { tryServer } from './try-server.js';

export interface LoginFlags {
  world?: string;
  clientId?: string;
  clientSecret?: true;
  open: boolean;
}

const LOOK_AGAIN_MS = 500;

/** `countersign mcp login`: opens or prints the link and waits until the browser has come back to our server. */
export async function logIn(
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
