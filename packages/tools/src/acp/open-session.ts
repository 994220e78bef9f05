import { Readable, Writable } from 'node:stream';
import type * as Acp from '@agentclientprotocol/sdk';
import type {
  ClientContext,
  InitializeResponse,
  NewSessionResponse,
  SessionConfigOption,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { errorMessage, withinTime, type Clock } from '@countersign/core/ports';
import { acpProgram, isAutomaticMode, VERSION, type AcpSettings } from '@countersign/protocol';
import { ASK_META } from './ask-always.js';
import { carefulModes, configuredModes, modeChoices, type ModeChoice } from './mode-choices.js';
import { createPrompt, type Prompt } from './prompt.js';
import { startAgent, type AgentProcess } from './start-agent.js';
import type { Continuation, StoredSession } from './write-prompt.js';

/** A running program with one session of an agent in a chat. */
export interface Session {
  readonly id: string;
  readonly workingDirectory: string;
  /** How the session started. `live` after its first prompt. */
  continuation(): Continuation;
  /** The latest prompt. */
  prompt(): Prompt | undefined;
  /** Sends a prompt. The latest one must have ended. */
  send(turnId: string, text: string): Prompt;
  /** Tells the agent to stop its work. */
  cancel(): void;
  /** Whether the program still runs and is connected. */
  isAlive(): boolean;
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

interface Opening {
  acp: AcpSettings;
  workingDirectory: string;
  stored: StoredSession | undefined;
  clock: Clock;
  env?: NodeJS.ProcessEnv;
}

/** How long a program may take to start and open a session. */
const START_MS = 60_000;
const LARGEST_MESSAGE = 16 * 1024 * 1024;
/** JSON-RPC error code of ACP: the agent needs somebody to sign in. */
const AUTH_REQUIRED = -32_000;

/** Starts the agent's program, and restores its session or opens a new one. Throws a readable error. */
export async function openSession(opening: Opening): Promise<Session> {
  const { acp, workingDirectory, clock } = opening;
  const sdk = await import('@agentclientprotocol/sdk');
  const child = await startAgent(acp, workingDirectory, opening.env);
  const program = acpProgram(acp);
  let prompt: Prompt | undefined;
  let sessionId = '';
  let isSent = false;
  let failure: string | undefined;
  const connection = sdk
    .client({ name: 'countersign' })
    .onRequest(sdk.methods.client.session.requestPermission, async ({ params }) => {
      if (prompt === undefined || params.sessionId !== sessionId) return { outcome: { outcome: 'cancelled' } };
      return { outcome: await prompt.ask(params.toolCall, params.options) };
    })
    .onNotification(sdk.methods.client.session.update, ({ params: { sessionId: of, update } }) => {
      if (of !== sessionId) return;
      const mode = automaticModeIn(update, program);
      if (mode !== undefined) {
        fail(`it switched to the mode "${mode}", in which it runs calls without asking, so it was stopped`);
        return;
      }
      // While a session is restored, its agent repeats the history.
      if (isSent) prompt?.update(update);
    })
    .connect(
      sdk.ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, Readable.toWeb(child.stdout), {
        maxMessageBytes: LARGEST_MESSAGE,
      }),
    );
  const { agent } = connection;
  const methods = sdk.methods.agent;
  let isAlive = true;
  void Promise.race([child.exited, connection.closed]).then(() => (isAlive = false));
  const gone = endOf(child, connection.closed);
  const ended = gone.then(async (reason) => {
    prompt?.finish({ kind: 'failed', reason });
    await child.end();
  });
  const close = async (): Promise<void> => {
    connection.close();
    await child.end();
    await ended;
  };
  /** How the program ended says more than that the connection is closed. */
  const explain = async (error: unknown): Promise<string> =>
    failure ?? (connection.signal.aborted ? await gone : errorMessage(error));
  function fail(reason: string): void {
    failure = reason;
    prompt?.finish({ kind: 'failed', reason });
    void close();
  }
  let continuation: Continuation;
  try {
    const opened = await withinTime(
      clock,
      START_MS,
      () => Promise.race([handshake(agent, sdk, opening), gone.then((how): never => raise(how))]),
      `its program didn't answer within ${START_MS / 1000} seconds, or doesn't speak the Agent Client Protocol`,
    );
    sessionId = opened.sessionId;
    continuation = opened.continuation;
  } catch (error) {
    const why = isAuthRequired(error)
      ? `its program needs you to sign in. Run ${acp.command[0] ?? ''} in a terminal on the server, as the server's user`
      : await explain(error);
    await close();
    throw new Error(why, { cause: error });
  }
  return {
    id: sessionId,
    workingDirectory,
    continuation: () => continuation,
    prompt: () => prompt,
    send(turnId, text) {
      const sent = (prompt = createPrompt(turnId, program));
      isSent = true;
      continuation = 'live';
      agent
        .request(methods.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
        .then(({ stopReason }) => sent.finish({ kind: 'answered', stopReason }))
        .catch(async (error: unknown) => sent.finish({ kind: 'failed', reason: await explain(error) }));
      return sent;
    },
    cancel() {
      if (prompt === undefined || prompt.isCancelled()) return;
      prompt.cancel();
      agent.notify(methods.session.cancel, { sessionId }).catch(() => undefined);
    },
    isAlive: () => isAlive,
    ended,
    close,
  };
}

type Sdk = typeof Acp;

async function handshake(
  agent: ClientContext,
  { methods: { agent: methods }, PROTOCOL_VERSION }: Sdk,
  { acp, workingDirectory: cwd, stored }: Opening,
): Promise<{ sessionId: string; continuation: Continuation }> {
  const initialized: InitializeResponse = await agent.request(methods.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    // The agent must not use us as a file server or a shell: that would bypass the gate.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'countersign', version: VERSION },
  });
  const place = { cwd, mcpServers: [], _meta: ASK_META };
  let session: Pick<NewSessionResponse, 'modes' | 'configOptions'> & { sessionId: string };
  let continuation: Continuation = 'new';
  const mayLoad = stored?.cwd === cwd && initialized.agentCapabilities?.loadSession === true;
  const loaded = mayLoad
    ? await agent.request(methods.session.load, { ...place, sessionId: stored.sessionId }).catch(() => undefined)
    : undefined;
  if (stored !== undefined && loaded !== undefined) {
    session = { ...loaded, sessionId: stored.sessionId };
    continuation = 'loaded';
  } else session = await agent.request(methods.session.new, place);
  const { sessionId } = session;
  const program = acpProgram(acp);
  for (const { choice, id } of carefulModes(modeChoices(session, program), { mode: acp.mode, program })) {
    const { configId } = choice;
    if (configId === undefined) await agent.request(methods.session.setMode, { sessionId, modeId: id });
    else {
      const { configOptions } = await agent.request(methods.session.setConfigOption, {
        sessionId,
        configId,
        value: id,
      });
      const left = automaticChoice(configOptions, program);
      if (left !== undefined) raise(`it stays in the mode "${left.current}", in which it runs calls without asking`);
    }
  }
  return { sessionId, continuation };
}

/** The configuration option with which the agent is in a mode without questions. */
function automaticChoice(options: readonly SessionConfigOption[], program: string): ModeChoice | undefined {
  return configuredModes(options, program).find(({ current }) => isAutomaticMode(current, program));
}

/** The mode without questions that the agent reports it is in. */
function automaticModeIn(update: SessionUpdate, program: string): string | undefined {
  if (update.sessionUpdate === 'current_mode_update')
    return isAutomaticMode(update.currentModeId, program) ? update.currentModeId : undefined;
  if (update.sessionUpdate !== 'config_option_update') return undefined;
  return automaticChoice(update.configOptions, program)?.current;
}

/** How long to wait for the rest of the output of a program that has ended, or for the end of one that closed its output. */
const DRAIN_MS = 300;

/** How the program ended, once everything that it wrote has been read. */
async function endOf(child: AgentProcess, closed: Promise<void>): Promise<string> {
  let how: string | undefined;
  const exited = child.exited.then((text) => (how = text));
  await Promise.race([exited, closed]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, DRAIN_MS)));
  await Promise.race([Promise.all([exited, closed]), late]);
  clearTimeout(timer);
  return `its program ${how ?? 'closed the connection'}${said(child.complaints())}`;
}

function isAuthRequired(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === AUTH_REQUIRED;
}

function raise(reason: string): never {
  throw new Error(reason);
}

function said(complaints: string): string {
  const last = complaints.split('\n').at(-1) ?? '';
  return last === '' ? '' : ` (${last.slice(0, 300)})`;
}
