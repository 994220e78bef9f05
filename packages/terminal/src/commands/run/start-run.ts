import type { EndedRun, RunAgent } from '@countersign/protocol';
import {
  explainOutsideGit,
  findProcess,
  NoSuchProgram,
  prepareRunAgent,
  runInDraft,
  RunNotStarted,
  type BegunRun,
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
import { openRunServer } from './run-server.js';

export interface RunFlags {
  world?: string;
  allowHost?: string[];
  port?: string[];
  branch?: string;
  allowFetch?: boolean;
  detach?: boolean;
  agent?: RunAgent;
}

interface Asked {
  readonly given: readonly string[];
  readonly options: RunFlags;
  readonly begun: BegunRun;
}

/** Runs a program in a draft, and waits until its changes are decided. */
export async function startRun(context: CommandContext, { given, options, begun }: Asked): Promise<number> {
  const server = openRunServer(context);
  const world = await server.ask((client) => findRunWorld(context, client, options.world));
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
    ended = await runInDraft({
      ...{ started, begun, words: program, prepared, ports, io: opened.io, environment: variables, onSignal },
      directory: directoryIn(started.folder),
      onStarted() {
        if (!isDetached(context)) return;
        const said: Begun = { id: started.id, world: world.id, output: outputFile(started.root) };
        context.console.stdout.write(`${JSON.stringify(said)}\n`);
      },
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
