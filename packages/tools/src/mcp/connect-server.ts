import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock, ToolContext } from '@countersign/core/ports';
import {
  Client,
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type jsonSchemaValidator,
  type Transport,
} from '@modelcontextprotocol/client';
import { runCall, type CallsUnderWay } from './run-call.js';
import { elicit } from './elicit.js';
import type { HideValues } from './hide-values.js';
import { createMessageBudget } from './limit-messages.js';
import { readTools, type ReadTools } from './read-tools.js';
import type { ServerLog } from './server-log.js';

export interface ConnectionOptions {
  server: string;
  /** Made anew for each try: one that was used once is done. */
  transport: () => Transport;
  workingDirectory: string;
  clock: Clock;
  log: ServerLog;
  hide: HideValues;
  checker: jsonSchemaValidator;
  connectMs: number;
  callMs: number;
  /** Fires when nobody wants it any more. */
  signal: AbortSignal;
  listChanged: (connection: Connection) => void;
  /** Once, when it ends by itself. */
  ended: () => void;
  /** It may be gone, or know us no more. */
  doubt: () => void;
}

export interface Connection {
  readonly workingDirectory: string;
  list(): Promise<ReadTools>;
  call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
  /** Rejects when the server does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

const CHECK_MS = 5_000;
const MOST_PAGES = 50;

/** Shakes hands with a server. Most speak the older way of beginning; one that refuses it is asked in the newer one. */
export async function connectServer(options: ConnectionOptions): Promise<Connection> {
  try {
    return await connect(options, 'legacy');
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== Number(ProtocolErrorCode.UnsupportedProtocolVersion))
      throw error;
    return await connect(options, 'auto');
  }
}

async function connect(options: ConnectionOptions, mode: 'legacy' | 'auto'): Promise<Connection> {
  const { server, clock, log, connectMs, workingDirectory } = options;
  const calls: CallsUnderWay = new Set();
  const client = new Client(
    { name: 'countersign', version: '0.1.0' },
    {
      capabilities: { roots: {}, elicitation: { form: {} } },
      jsonSchemaValidator: options.checker,
      versionNegotiation: { mode },
      listMaxPages: MOST_PAGES,
      listChanged: { tools: { autoRefresh: false, debounceMs: 200, onChanged: () => changed() } },
    },
  );
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(workingDirectory).href, name: basename(workingDirectory) }],
  }));
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const ask = askerOf(calls);
    if (ask === undefined || params.mode === 'url') {
      log.push('[asked a question that belongs to no single call; it was declined]\n');
      return { action: 'decline' };
    }
    return await elicit(server, params, ask);
  });
  // Sampling among it: a server that asks our model would speak with the person's money, and past every gate.
  client.fallbackRequestHandler = ({ method }) => {
    log.push(`[asked for ${method}, which is refused here]\n`);
    const words =
      method === 'sampling/createMessage' ? 'Sampling is not allowed here.' : `${method} is not offered here.`;
    return Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, words));
  };
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    log.push(`[${level}]${logger === undefined ? '' : ` ${logger}:`} ${text}\n`);
  });
  let open = true;
  let changed = (): void => undefined;
  let why: Error | undefined;
  client.onerror = (error) => {
    why ??= error;
    log.push(`[${error.message}]\n`);
  };
  client.onclose = () => {
    if (open) options.ended();
    open = false;
  };
  const transport = limited(options.transport(), createMessageBudget(clock), () =>
    log.push('[it sends more than can be read; messages are dropped]\n'),
  );
  try {
    await client.connect(transport, { timeout: connectMs, signal: options.signal });
  } catch (error) {
    open = false;
    await transport.close().catch(() => undefined);
    throw why !== undefined && !(error instanceof ProtocolError) && why.message.startsWith('the server') ? why : error;
  }
  const connection: Connection = {
    workingDirectory,
    async list() {
      const { tools } = await client.listTools(undefined, { timeout: connectMs, cacheMode: 'refresh' });
      return readTools(server, tools);
    },
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

/** Nothing in such a question says which call it is about: with more than one under way it would come on the wrong card. */
function askerOf(calls: CallsUnderWay): ToolContext['ask'] {
  const [only, ...more] = calls;
  return more.length > 0 ? undefined : only?.ask;
}

/** Drops what nobody asked for when it is too much. Answers always pass: each was asked for. */
function limited(transport: Transport, budget: () => boolean, dropped: () => void): Transport {
  let deliver: Transport['onmessage'];
  let told = false;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => deliver,
    set(inner: Transport['onmessage']) {
      deliver = (message, extra) => {
        if ((isJSONRPCRequest(message) || isJSONRPCNotification(message)) && !budget()) {
          if (!told) dropped();
          told = true;
          return;
        }
        inner?.(message, extra);
      };
    },
  });
  return transport;
}
