import type { Clock, ToolContext } from '@countersign/core/ports';
import { VERSION } from '@countersign/protocol';
import type { McpContext, McpContextRequest } from '@countersign/protocol';
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type jsonSchemaValidator,
  type Transport,
} from '@modelcontextprotocol/client';
import { answerServer } from './call/answer-server.js';
import type { HideValues } from './hide-values.js';
import { limitMessages } from './transport/limit-messages.js';
import { listContext, readContext } from './call/read-context.js';
import { readTools, type ReadTools } from './tools/read-tools.js';
import { runCall, type CallsUnderWay } from './call/run-call.js';
import type { ServerLog } from './server-log.js';
import { NoAnswer } from './start-cause.js';

export interface ConnectionOptions {
  server: string;
  /** Called for each attempt, because a transport can't be reused. */
  transport: () => Transport;
  workingDirectory: string;
  clock: Clock;
  log: ServerLog;
  hide: HideValues;
  checker: jsonSchemaValidator;
  /** Timeout for the start and the handshake. */
  startMs: number;
  /** Timeout for lists. */
  connectMs: number;
  callMs: number;
  /** Aborted when nobody needs the connection anymore. */
  signal: AbortSignal;
  listChanged: (connection: Connection) => void;
  /** Called once, if the server ends the connection. */
  ended: () => void;
  /** Called if the server may have died or lost our session. */
  doubt: () => void;
}

export interface Connection {
  readonly workingDirectory: string;
  list(): Promise<ReadTools>;
  call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
  context(): Promise<McpContext>;
  readContext(wanted: McpContextRequest): Promise<string>;
  /** Rejects if the server doesn't respond. */
  check(): Promise<void>;
  close(): Promise<void>;
}

const CHECK_MS = 5_000;
const MAX_PAGES = 50;
const UNSUPPORTED_VERSION: number = ProtocolErrorCode.UnsupportedProtocolVersion;

/** Performs the handshake. Most servers use the older protocol version; if a server rejects it, we try the newer one. */
export async function connectServer(options: ConnectionOptions): Promise<Connection> {
  try {
    return await connect(options, 'legacy');
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== UNSUPPORTED_VERSION) throw error;
    return await connect(options, 'auto');
  }
}

function isClosed(error: unknown): error is SdkError {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/** Replaces the SDK's errors "Connection closed" and "Request timed out", which don't tell a person what happened. */
function explainError(error: unknown, ms: number): unknown {
  if (isClosed(error)) return new Error('it closed the connection without answering', { cause: error });
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new NoAnswer(`it did not answer within ${ms / 1000} seconds`, { cause: error });
  return error;
}

async function connect(options: ConnectionOptions, mode: 'legacy' | 'auto'): Promise<Connection> {
  const { server, log, startMs, connectMs, workingDirectory } = options;
  const calls: CallsUnderWay = new Set();
  let changed = (): void => undefined;
  const client = new Client(
    { name: 'countersign', version: VERSION },
    {
      capabilities: { roots: {}, elicitation: { form: {} } },
      jsonSchemaValidator: options.checker,
      versionNegotiation: { mode },
      listMaxPages: MAX_PAGES,
      // No debounce: until the tools are listed again, calls would run with outdated definitions.
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } },
    },
  );
  answerServer(client, { server, workingDirectory, log, calls });
  let open = true;
  let trouble: Error | undefined;
  Object.assign(client, {
    onerror: (error: Error) => {
      // If we close the connection, the process may be killed. Don't report that as a server failure.
      if (!open) return;
      trouble ??= error;
      log.push(`[${error.message}]\n`);
      // The SDK doesn't notify a call that its stream broke, so the call would wait for its full timeout.
      options.doubt();
    },
    onclose: () => {
      if (open) options.ended();
      open = false;
    },
  } satisfies Pick<Client, 'onerror' | 'onclose'>);
  const transport = limitMessages(options.transport(), options.clock, () =>
    log.push('[it sends messages too fast; some are dropped]\n'),
  );
  try {
    await client.connect(transport, { timeout: startMs, signal: options.signal });
  } catch (error) {
    open = false;
    await transport.close().catch(() => undefined);
    throw error instanceof ProtocolError ? error : (trouble ?? explainError(error, startMs));
  }
  const connection: Connection = {
    workingDirectory,
    async list() {
      if (client.getServerCapabilities()?.tools === undefined) return { tools: [], leftOut: [] };
      try {
        const { tools } = await client.listTools(undefined, { timeout: connectMs, cacheMode: 'refresh' });
        return readTools(server, tools, options.hide);
      } catch (error) {
        throw isClosed(error) && trouble !== undefined ? trouble : explainError(error, connectMs);
      }
    },
    context: () => listContext({ client, hide: options.hide, timeout: connectMs }),
    readContext: (wanted) => readContext({ client, hide: options.hide, timeout: connectMs }, wanted),
    call: (tool, args, context) => runCall({ ...options, client, calls }, tool, args, context),
    async check() {
      if (client.getProtocolEra() === 'legacy') await client.ping({ timeout: CHECK_MS });
    },
    async close() {
      open = false;
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
    },
  };
  changed = () => {
    if (open) options.listChanged(connection);
  };
  return connection;
}
