import { Readable, Writable } from 'node:stream';
import { errorMessage, withinTime, type Clock } from '@countersign/core/ports';
import { acpProgram, type AcpSettings } from '@countersign/protocol';
import { handshake } from './handshake.js';
import { createPrompt, type Prompt } from './prompt.js';
import { reportedModes } from './reported-modes.js';
import { startAgent, type AgentPlace, type AgentProcess } from './start-agent.js';
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
  place?: AgentPlace;
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
  const child = await startAgent(acp, workingDirectory, opening.place);
  const program = acpProgram(acp);
  const reported = reportedModes(program);
  let prompt: Prompt | undefined;
  let sessionId: string | undefined;
  let isSent = false;
  let failure: string | undefined;
  const connection = sdk
    .client({ name: 'countersign' })
    .onRequest(sdk.methods.client.session.requestPermission, async ({ params }) => {
      if (prompt === undefined || params.sessionId !== sessionId) return { outcome: { outcome: 'cancelled' } };
      return { outcome: await prompt.ask(params.toolCall, params.options) };
    })
    .onNotification(sdk.methods.client.session.update, ({ params: { sessionId: of, update } }) => {
      if (sessionId !== undefined && of !== sessionId) return;
      reported.note(update);
      const mode = reported.automatic();
      // While the session is opened, the program can still be set to another mode.
      if (sessionId !== undefined && mode !== undefined) {
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
  let id: string;
  let continuation: Continuation;
  try {
    const opened = await withinTime(
      clock,
      START_MS,
      () => Promise.race([handshake(agent, sdk, { ...opening, reported }), gone.then((how): never => raise(how))]),
      `its program didn't answer within ${START_MS / 1000} seconds, or doesn't speak the Agent Client Protocol`,
    );
    const automatic = opened.automatic ?? reported.automatic();
    if (automatic !== undefined) raise(`it stays in the mode "${automatic}", in which it runs calls without asking`);
    id = sessionId = opened.sessionId;
    continuation = opened.continuation;
  } catch (error) {
    const why = isAuthRequired(error)
      ? `its program needs you to sign in. Run ${acp.command[0] ?? ''} in a terminal on the server, as the server's user`
      : await explain(error);
    await close();
    throw new Error(why, { cause: error });
  }
  return {
    id,
    workingDirectory,
    continuation: () => continuation,
    prompt: () => prompt,
    send(turnId, text) {
      const sent = (prompt = createPrompt(turnId, program));
      isSent = true;
      continuation = 'live';
      agent
        .request(methods.session.prompt, { sessionId: id, prompt: [{ type: 'text', text }] })
        .then(({ stopReason }) => sent.finish({ kind: 'answered', stopReason }))
        .catch(async (error: unknown) => sent.finish({ kind: 'failed', reason: await explain(error) }));
      return sent;
    },
    cancel() {
      if (prompt === undefined || prompt.isCancelled()) return;
      prompt.cancel();
      agent.notify(methods.session.cancel, { sessionId: id }).catch(() => undefined);
    },
    isAlive: () => isAlive,
    ended,
    close,
  };
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
