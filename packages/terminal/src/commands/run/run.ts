import { RUN_AGENTS, type EndedRun, type RunAgent, type World } from '@countersign/protocol';
import type * as runner from '@countersign/tools/run';
import { Option, type Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { realPath } from '../../project/project-folder.js';
import { plainLine } from '../../text/plain-text.js';
import { withHelp } from '../../words/help.js';
import { runHelp as help, runWords as words } from '../../words/run.js';
import { again, readPort } from '../read-flags.js';
import type { Register } from '../register.js';
import { detachRun, isDetached, type Begun } from './detach-run.js';
import { findRunWorld } from './find-run-world.js';
import { followRun } from './follow-run.js';
import { onSignal, openOutputFile, openOwnTerminal, openPipes, outputFile, type OpenedIo } from './open-run-io.js';
import { openRunServer, type RunServer } from './run-server.js';

interface RunFlags {
  world?: string;
  allowHost?: string[];
  port?: string[];
  branch?: string;
  allowFetch?: boolean;
  detach?: boolean;
  agent?: RunAgent;
}

/** `countersign run` (RUN1): this process supervises the program, and the server does the rest. */
export function addRun(program: Command, register: Register): void {
  const command = withHelp(program.command('run').argument('[program...]', help.program), help)
    .option('-w, --world <world>', help.world)
    .option('--allow-host <host>', help.allowHost, again)
    .option('--port <n>', help.port, again)
    .option('--branch <name>', help.branch)
    .option('--allow-fetch', help.allowFetch)
    .option('--detach', help.detach)
    .addOption(new Option('--agent <agent>').choices(RUN_AGENTS).hideHelp());
  register<RunFlags>(command, async (context, { args, options }) => {
    if (options.agent === undefined && args.length === 0) throw new CommandError(words.noProgram);
    if (options.detach === true && !isDetached(context)) return await detachRun(context);
    const runner = await import('@countersign/tools/run');
    const begun = runner.beginRun();
    try {
      const server = openRunServer(context);
      const world = await server.ask((client) => findRunWorld(context, client, options.world));
      return await runIn(context, server, runner, { world, given: args, options, begun });
    } finally {
      await begun.close();
    }
  });
}

interface Asked {
  readonly world: World & { readonly folder: string };
  readonly given: readonly string[];
  readonly options: RunFlags;
  readonly begun: runner.BegunRun;
}

async function runIn(
  context: CommandContext,
  server: RunServer,
  { explainOutsideGit, findProcess, NoSuchProgram, prepareRunAgent, runInDraft, RunNotStarted }: typeof runner,
  { world, given, options, begun }: Asked,
): Promise<number> {
  const folder = realPath(world.folder) ?? world.folder;
  const outside = explainOutsideGit(folder);
  if (outside !== undefined) throw new CommandError(words.refused(outside));
  const { allowHost = [], port = [], branch, agent, allowFetch: allowsFetch = false } = options;
  const variables = context.console.env;
  const prepared = agent === undefined ? undefined : await prepareRunAgent(agent, { variables, folder, allowsFetch });
  const program = prepared === undefined ? given : [prepared.agent.program, ...prepared.arguments, ...given];
  const ports = port.map(readPort);
  const supervisor = (await findProcess(process.pid)) ?? { pid: process.pid, started: '' };
  const started = await server.ask((client) =>
    client.runs.start(world.id, {
      ...{ program: [...program], allowHosts: allowHost, ports, supervisor },
      ...(agent === undefined ? {} : { agent }),
      ...(branch === undefined ? {} : { branch }),
    }),
  );
  let opened: OpenedIo | undefined;
  let ended: EndedRun;
  try {
    opened = await openIo(context, started.root);
    if (isDetached(context)) {
      const begun: Begun = { id: started.id, world: world.id, output: outputFile(started.root) };
      context.console.stdout.write(`${JSON.stringify(begun)}\n`);
    }
    ended = await runInDraft({
      ...{ started, begun, words: program, prepared, ports, io: opened.io, environment: variables, onSignal },
      directory: directoryIn(started.folder),
      onPorts: (open) => open.forEach(({ inside, url }) => context.note(words.port(inside, url))),
    });
  } catch (error) {
    // After any other failure, the draft is kept: the program may have written to it.
    if (opened !== undefined && !(error instanceof RunNotStarted)) throw error;
    await server.ask((client) => client.runs.discard(world.id, started.id)).catch(() => undefined);
    if (error instanceof NoSuchProgram) throw new CommandError(words.missing(program[0] ?? ''), EXIT.noProgram);
    if (error instanceof RunNotStarted) throw new CommandError(words.refused(error.message), EXIT.failed);
    throw error;
  } finally {
    opened?.close();
  }
  const { exitCode, notes } = ended;
  for (const note of notes) context.note(plainLine(note));
  const { state, code } = await followRun(context, server, started, exitCode);
  if (context.options.json) context.json({ id: started.id, world: world.id, state, exitCode, code });
  return code;
}

async function openIo(context: CommandContext, root: string): Promise<OpenedIo> {
  if (isDetached(context)) return openOutputFile(root);
  const { console } = context;
  const isInteractive = console.stdin.isTTY && console.stdout.isTTY;
  if (!isInteractive) return openPipes(console, context.options.json);
  if (context.options.json) throw new CommandError(words.notJson);
  return await openOwnTerminal(console);
}

/** The current folder if the program sees it, or else the whole project. */
function directoryIn(folder: string): string {
  const here = realPath(process.cwd());
  return here !== undefined && (here === folder || here.startsWith(`${folder}/`)) ? here : folder;
}
