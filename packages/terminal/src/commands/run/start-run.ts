import { readAll } from '@countersign/client';
import type { EndedRun, Run, RunAgent, RunProcess, StartedRun } from '@countersign/protocol';
import {
  beginRun,
  explainOutsideGit,
  findProcess,
  NoSuchProgram,
  noteNotStarted,
  prepareRunAgent,
  runInDraft,
  RunNotStarted,
  type BegunRun,
  type PreparedAgent,
} from '@countersign/tools/run';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { realPath } from '../../project/project-folder.js';
import { plainLine } from '../../text/plain-text.js';
import { runWords as words } from '../../words/run.js';
import { readPort } from '../read-flags.js';
import { isDetached, type Begun } from './detach-run.js';
import { findRunWorld } from './find-run-world.js';
import { followRun } from './follow-run.js';
import { onSignal, openOutputFile, openOwnTerminal, openPipes, outputFile, type OpenedIo } from './open-run-io.js';
import { findOwnRun, mayRestart, requestText, wordsToRestart } from './restart-run.js';
import { openRunServer, type RunServer } from './run-server.js';

export interface RunFlags {
  world?: string;
  allowHost?: string[];
  port?: string[];
  branch?: string;
  allowFetch?: boolean;
  detach?: boolean;
  agent?: RunAgent;
  again?: string;
}

interface Asked {
  readonly given: readonly string[];
  readonly options: RunFlags;
  readonly begun: BegunRun;
}

/** One program in the draft of a run. */
interface Round {
  readonly started: StartedRun;
  readonly program: readonly string[];
  readonly prepared: PreparedAgent | undefined;
  /** What somebody asked to change, if the draft isn't new. */
  readonly request?: string;
}

/** Runs a program in a draft, and waits until its changes are decided. If changes are asked for, an agent continues in the same draft. */
export async function startRun(context: CommandContext, { given, options, begun }: Asked): Promise<number> {
  const server = openRunServer(context);
  const { again, world, agent, branch } = options;
  if (again !== undefined && (agent !== undefined || branch !== undefined)) throw new CommandError(words.againKeeps);
  let round =
    again === undefined
      ? await firstRound(context, server, given, options)
      : await nextRound(context, server, {
          run: await server.ask((client) => findOwnRun(client, again, world)),
          given,
          options,
        });
  for (let network = begun; ; network = beginRun()) {
    const { started } = round;
    let exitCode: number;
    try {
      exitCode = await runRound(context, server, round, { options, begun: network });
    } finally {
      await network.close();
    }
    const { state, code, run } = await followRun(context, server, started, exitCode);
    if (run?.state === 'sent-back' && (await mayRestart(context, run))) {
      round = await nextRound(context, server, { run, given: [], options });
      continue;
    }
    const { id } = started;
    if (context.options.json) context.json({ id, world: started.world, state, exitCode, code });
    return code;
  }
}

async function firstRound(
  context: CommandContext,
  server: RunServer,
  given: readonly string[],
  { allowHost = [], port = [], branch, agent, allowFetch: allowsFetch = false, ...options }: RunFlags,
): Promise<Round> {
  const world = await server.ask((client) => findRunWorld(context, client, options.world));
  const folder = realPath(world.folder) ?? world.folder;
  const outside = explainOutsideGit(folder);
  if (outside !== undefined) throw new CommandError(words.refused(outside));
  const variables = context.console.env;
  const prepared = agent === undefined ? undefined : await prepareRunAgent(agent, { variables, folder, allowsFetch });
  const program = prepared === undefined ? given : [prepared.agent.program, ...prepared.arguments, ...given];
  const supervisor = await ownProcess();
  const started = await server.ask((client) =>
    client.runs.start(world.id, {
      ...{ program: [...program], allowHosts: allowHost, ports: port.map(readPort), supervisor },
      ...(agent === undefined ? {} : { agent }),
      ...(branch === undefined ? {} : { branch }),
    }),
  );
  return { started, program, prepared };
}

/** Opens the draft of a run that was sent back. */
async function nextRound(
  context: CommandContext,
  server: RunServer,
  { run, given, options }: { run: Run; given: readonly string[]; options: RunFlags },
): Promise<Round> {
  const { allowHost = [], allowFetch: allowsFetch = false } = options;
  const worlds = await server.ask((client) => readAll((page) => client.worlds(page)));
  const folder = realPath(worlds.find(({ id }) => id === run.world)?.folder ?? '');
  if (folder === undefined) throw new CommandError(words.noFolder(run.world));
  const variables = context.console.env;
  const prepared =
    run.agent === undefined ? undefined : await prepareRunAgent(run.agent, { variables, folder, allowsFetch });
  const program = [...wordsToRestart(context, { run, prepared, given })];
  const supervisor = await ownProcess();
  const started = await server.ask((client) =>
    client.runs.restart(run.world, run.id, { program, allowHosts: allowHost, supervisor }),
  );
  return { started, program, prepared, request: requestText(run) };
}

/** Runs one program until all its processes are dead. Returns its exit code. */
async function runRound(
  context: CommandContext,
  server: RunServer,
  { started, program, prepared, request }: Round,
  { options: { port = [] }, begun }: { options: RunFlags; begun: BegunRun },
): Promise<number> {
  const { id, world, root } = started;
  let opened: OpenedIo | undefined;
  let ended: EndedRun;
  try {
    opened = await openIo(context, root, request === undefined);
    ended = await runInDraft({
      ...{ started, begun, words: program, prepared, ports: port.map(readPort), io: opened.io, onSignal },
      environment: context.console.env,
      ...(request === undefined ? {} : { variables: { COUNTERSIGN_REQUEST: request } }),
      directory: directoryIn(started.folder),
      onStarted() {
        if (!isDetached(context) || request !== undefined) return;
        const said: Begun = { id, world, output: outputFile(root) };
        context.console.stdout.write(`${JSON.stringify(said)}\n`);
      },
      onPorts: (open) => open.forEach(({ inside, url }) => context.note(words.port(inside, url))),
    });
  } catch (error) {
    // After any other failure, the draft is kept: the program may have written to it.
    if (opened !== undefined && !(error instanceof RunNotStarted)) throw error;
    if (request === undefined) await server.ask((client) => client.runs.discard(world, id)).catch(() => undefined);
    // What was there before can still be signed.
    else await noteNotStarted(root).then(() => server.ask((client) => client.runs.end(world, id)));
    if (error instanceof NoSuchProgram) throw new CommandError(words.missing(program[0] ?? ''), EXIT.noProgram);
    if (error instanceof RunNotStarted) throw new CommandError(words.refused(error.message), EXIT.failed);
    throw error;
  } finally {
    opened?.close();
  }
  for (const note of ended.notes) context.note(plainLine(note));
  return ended.exitCode;
}

async function ownProcess(): Promise<RunProcess> {
  return (await findProcess(process.pid)) ?? { pid: process.pid, started: '' };
}

/** What the person sends to the command is for the first program. */
async function openIo(context: CommandContext, root: string, readsInput: boolean): Promise<OpenedIo> {
  if (isDetached(context)) return openOutputFile(root);
  const { console } = context;
  const isInteractive = console.stdin.isTTY && console.stdout.isTTY;
  if (!isInteractive) return openPipes(console, { isJson: context.options.json, readsInput });
  if (context.options.json) throw new CommandError(words.notJson);
  return await openOwnTerminal(console);
}

/** The current folder if the program sees it, or else the whole project. */
function directoryIn(folder: string): string {
  const here = realPath(process.cwd());
  return here !== undefined && (here === folder || here.startsWith(`${folder}/`)) ? here : folder;
}
