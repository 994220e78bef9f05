import { mcpCauseFixes, mcpCauseText, needsSignIn, type Client, type McpFix } from '@countersign/client';
import { downloadingRunner, startTimeout, type McpCause, type McpServer } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { plainLine } from '../../text/plain-text.js';
import { showDone } from '../show-list.js';
import { results } from '../../words/results.js';

/** Added to an MCP server's start timeout. */
const MARGIN_MS = 5_000;
const LOOK_AGAIN_MS = 200;

/**
 * Waits until an added, changed or restarted MCP server is running or has failed, and reports it. `done`: what was done, such as `Added "files"
 * to "ops"`.
 */
export async function tryServer(
  context: CommandContext,
  world: string,
  server: McpServer,
  done: string,
): Promise<ExitCode> {
  if (server.enabled) sayStarting(context, server);
  const tried = await settledServer(await context.client(), world, server);
  showDone(context, describeTry(tried, world, done), tried);
  return isUp(tried) ? EXIT.ok : EXIT.failed;
}

/** Reports the result of testing a server. */
export function showTested(context: CommandContext, world: string, server: McpServer): ExitCode {
  showDone(context, describeTry(server, world, results.mcpTested(server.name)), server);
  return isUp(server) ? EXIT.ok : EXIT.failed;
}

/** Says so while a person waits. */
export function sayStarting(context: CommandContext, server: McpServer): void {
  if (!context.isPerson) return;
  context.note(results.mcpStarting(server.name, downloadingRunner(server), Math.ceil(startTimeout(server) / 60_000)));
}

function patienceFor(server: McpServer): number {
  return startTimeout(server) + MARGIN_MS;
}

async function settledServer(client: Client, world: string, before: McpServer): Promise<McpServer> {
  const end = Date.now() + patienceFor(before);
  let server = before;
  while (isStarting(server) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    server = (await client.mcpServer(world, server.name)).value;
  }
  return server;
}

function isStarting({ status, error }: McpServer): boolean {
  return status === 'starting' || (status === 'idle' && error === undefined);
}

/** Whether the server is running, or disabled as requested. */
function isUp({ status }: McpServer): boolean {
  return status === 'running' || status === 'off';
}

/** How to fix a cause, with the commands that do it. */
export function adviceFor(cause: McpCause, name: string, world: string): string {
  const text = plainLine(mcpCauseText(cause));
  const [first, ...others] = mcpCauseFixes(cause).map((fix) => commandFor(fix, name, world));
  if (first === undefined) return text;
  const [other] = others;
  const advice = results.mcpFixWith(text, plainLine(first));
  return other === undefined ? advice : `${advice}\n${results.mcpOrAllowAll(plainLine(other))}`;
}

function commandFor(fix: McpFix, name: string, world: string): string {
  switch (fix.kind) {
    case 'network':
      return results.mcpAllowNetwork(name, world);
    case 'hosts':
      return results.mcpAllowHosts(name, world, fix.hosts);
    case 'rule':
      return results.mcpAddRule(fix.rule, world);
    case 'sign-in':
      return results.mcpLogIn(name, world);
  }
}

function describeTry(server: McpServer, world: string, done: string): string {
  const { name, status, error, cause, tools, trusted, sandbox } = server;
  const rights = results.mcpRights(trusted);
  const next = results.mcpNext(name, world);
  const advice = cause === undefined ? '' : `${adviceFor(cause, name, world)}\n`;
  switch (status) {
    case 'running': {
      const problem = error === undefined ? '' : ` ${plainLine(error)}.`;
      const names = tools.map((tool) => `\n  ${plainLine(tool)}`).join('');
      const running = results.mcpRunning(done, tools.length, problem, rights, names);
      return sandbox === undefined ? running : `${running}\n${results.mcpSandbox(plainLine(sandbox))}`;
    }
    case 'failed':
    case 'idle':
      if (needsSignIn(server)) return results.mcpSignInFirst(done, advice.trimEnd());
      return results.mcpFailed(done, plainLine(error ?? results.mcpNoReason), advice, next);
    case 'starting':
      return results.mcpSilent(done, patienceFor(server) / 1000, advice, next);
    case 'off':
      return results.mcpOff(done, rights);
  }
}
