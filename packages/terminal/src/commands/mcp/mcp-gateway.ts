import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { readAll } from '@countersign/client';
import { nearest } from '@countersign/protocol';
import { isPlainRemote } from '@countersign/server/channel';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { mayUseHttp, serverUrl } from '../../connection/server-url.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { findUnproven } from '../../connection/find-unproven.js';
import { findWorld } from '../../find-things.js';
import { writeChanges } from '../../gate/config-change.js';
import { removeCreated } from '../../gate/gate-token.js';
import { usedBy } from '../gate/used-by.js';
import { forwardMessages, type FindGateway } from '../../mcp-gateway/forward-messages.js';
import { plainLine } from '../../text/plain-text.js';
import { untilInterrupted } from '../../input/until-interrupted.js';
import { FOR, withHelp, WORLD } from '../../words/help.js';
import { mcpGatewayHelp as help } from '../../words/help-server.js';
import { errors } from '../../words/errors.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { readText } from '../worlds/agents.js';

interface GatewayFlags {
  world?: string;
  tokenFile?: string;
}

interface AddFlags {
  world?: string;
  tools: string;
  program: string;
  for?: string;
}

const TOKEN_VARIABLE = 'COUNTERSIGN_GATE_TOKEN';

/** `countersign mcp-gateway` (GATE5). Standard output contains only MCP messages. */
export function addMcpGateway(program: Command, register: Register): void {
  const command = withHelp(program.command('mcp-gateway'), help)
    .option('-w, --world <world>', help.world)
    .option('--token-file <file>', help.tokenFile);
  addAdd(command, register);
  register<GatewayFlags>(command, async (context, { options }) => {
    const find = await finder(context, options);
    await checkGateway(find);
    const { stdin, stdout } = context.console;
    let isLost = false;
    const forwarder = forwardMessages({
      find,
      write(message) {
        isLost = false;
        stdout.write(`${JSON.stringify(message)}\n`);
      },
      onLost(error) {
        const unproven = findUnproven(error);
        if (!isLost) context.note(unproven === undefined ? errors.gatewayLost : errors.unproven(unproven.at));
        isLost = true;
      },
      pause: pauseFor,
    });
    const interrupted = untilInterrupted();
    const lines = createInterface({ input: stdin, crlfDelay: Infinity });
    lines.on('line', (line) => void (line.trim() === '' || forwarder.receive(line)));
    await Promise.race([new Promise((resolve) => lines.once('close', resolve)), interrupted.promise]);
    interrupted.end();
    forwarder.close();
    lines.close();
  });
}

/** `mcp-gateway add`: an external agent, its token in a file that only this user can read, and the configuration for a client. */
function addAdd(gateway: Command, register: Register): void {
  const command = withHelp(gateway.command('add').argument('<name>'), help.add)
    .option('-w, --world <world>', WORLD)
    .requiredOption('--tools <list>', help.add.tools)
    .option('--program <name>', help.add.program, 'mcp')
    .option('--for <person>', FOR);
  register<AddFlags>(command, async (context, { args: [name = ''], options: { tools, program, for: person } }) => {
    const client = await context.client();
    // The parent command has the same flag and gets its value.
    const { id: world } = await findWorld(client, command.optsWithGlobals<AddFlags>().world);
    const list = tools.split(',').map((tool) => tool.trim());
    const wanted = list.filter((tool) => tool !== '');
    const known = (await readAll((after) => client.tools(world, after))).map((tool) => tool.name);
    const created = await client.external.createAgent(world, {
      name,
      program,
      tools: wanted,
      ...(await usedBy(client, person)),
    });
    const home = resolve(context.options.home ?? (await context.servers.defaultHome()));
    const file = join(home, 'gate', `mcp-${world}-${created.agent}.token`);
    try {
      await writeChanges([{ path: file, before: undefined, after: `${created.token}\n`, isSecret: true }]);
    } catch (error) {
      await removeCreated(context, world, created);
      throw error;
    }
    for (const tool of wanted.filter((one) => !one.includes('*') && !known.includes(one)))
      context.note(results.warning(plainLine(results.gatewayUnknownTool(tool, nearest(tool, known)))));
    // The client may start it with another environment.
    const url = context.options.url ?? context.console.env['COUNTERSIGN_URL'] ?? '';
    const allowed = isPlainRemote(new URL(client.url)) ? ['--allow-http'] : [];
    const place = url === '' ? ['--home', home] : ['--url', url, ...allowed];
    // Not by name: the client may start it without our PATH.
    const own = resolve(process.argv[1] ?? 'countersign');
    const words = ['mcp-gateway', '-w', world, '--token-file', file, ...place];
    const server = { command: process.execPath, args: [own, ...words] };
    const config = { mcpServers: { countersign: server } };
    if (context.options.json)
      return context.json({ agent: created.agent, created: created.created, tokenFile: file, config });
    context.say(results.gatewayAdded(created.agent, world, file));
    context.put(`${JSON.stringify(config, null, 2)}\n`, 'text');
  });
}

/** Looks the server up again each time, because it may be restarted on another port. */
async function finder(context: CommandContext, { world, tokenFile }: GatewayFlags): Promise<FindGateway> {
  const { env } = context.console;
  if (world === undefined || world === '') throw new CommandError(errors.gatewayNeedsWorld);
  const token = (tokenFile === undefined ? env[TOKEN_VARIABLE] : await readText(tokenFile))?.trim() ?? '';
  if (token === '') throw new CommandError(errors.noGateToken(TOKEN_VARIABLE));
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CommandError(errors.badToken);
  const path = `/mcp/${encodeURIComponent(world)}`;
  const given = context.options.url ?? env['COUNTERSIGN_URL'] ?? '';
  if (given !== '') {
    const url = `${serverUrl(given, mayUseHttp(context.options, env))}${path}`;
    return () => Promise.resolve({ url, token });
  }
  const home = context.options.home ?? (await context.servers.defaultHome());
  return async () => {
    const running = await context.servers.find(home);
    // Starts no server: it would end with this command, and the person who approves couldn't reach it.
    if (running === undefined) throw new CommandError(errors.gatewayNoServer, EXIT.failed);
    return { url: `${running.url}${path}`, token };
  };
}

/** Fails before the client relies on the gateway: with a sentence for the person who configured it. */
async function checkGateway(find: FindGateway): Promise<void> {
  /** Undefined until there is an answer. */
  let problem: string | null | undefined;
  let lost: unknown;
  let url = '';
  const checker = forwardMessages({
    async find() {
      const found = await find();
      ({ url } = found);
      return found;
    },
    write: (message) => void (problem = errorIn(message)),
    onLost(error) {
      lost = error;
      checker.close();
    },
    pause: () => Promise.resolve(),
  });
  await checker.receive(JSON.stringify({ jsonrpc: '2.0', id: 'check', method: 'ping' }));
  if (problem === undefined) {
    if (findUnproven(lost) !== undefined) throw lost;
    // Throws if no server is running.
    await find();
    throw new CommandError(errors.noAnswer(new URL(url).origin), EXIT.failed);
  }
  if (typeof problem === 'string') throw new CommandError(problem, EXIT.failed);
}

/** The sentence of an error, or null for any other answer. */
function errorIn(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('error' in message)) return null;
  const { error } = message;
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : null;
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
