import { z } from 'zod';
import type { AppContext, AppRequest } from '../app/context.js';
import { readBody } from '../app/read-body.js';
import type { AgentGate } from './agent-gate.js';
import type { ClientSessions } from './client-sessions.js';
import { cancelKeyOf, gatewayServer } from './gateway-server.js';
import type * as Sdk from './sdk.js';
import type { WaitingClients } from './waiting-clients.js';

const SESSION_HEADER = 'mcp-session-id';
const initializeSchema = z.looseObject({ method: z.literal('initialize') });
const cancelledSchema = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId: z.union([z.string(), z.number()]) }),
});

interface Parts {
  sdk: typeof Sdk;
  context: AppContext;
  gate: AgentGate;
  sessions: ClientSessions;
  waiting: WaitingClients;
}

/** Answers one request of an MCP client. Requests of a session share nothing, so any process can answer any of them. */
export async function answerRequest(
  c: AppRequest,
  { sdk, context, gate, sessions, waiting }: Parts,
): Promise<Response> {
  const { engine, version } = context;
  const body = await readBody(c, 'json', context.bodyLimit);
  const message = parse(body);
  const isFirst = initializeSchema.safeParse(message).success;
  const given = isFirst ? sessions.newId() : c.req.header(SESSION_HEADER);
  const session = sessions.of(gate.agentId, given);
  const connection = `${gate.agentId} ${given ?? ''}`;
  // Each request is served alone, so the SDK can't find the request that a client cancels.
  const cancelled = cancelledSchema.safeParse(message);
  if (cancelled.success) waiting.cancel(cancelKeyOf(connection, cancelled.data.params.requestId));
  const { raw } = c.req;
  const request = new Request(raw.url, { method: 'POST', headers: raw.headers, body, signal: raw.signal });
  const about = { sdk, engine, gate, waiting, session, connection, version, gone: raw.signal };
  const handler = sdk.createMcpHandler(() => gatewayServer(about), {
    onerror: (error) => context.log.warn('MCP request refused', { error: String(error) }),
  });
  const response = await handler.fetch(request);
  if (isFirst && given !== undefined) response.headers.set(SESSION_HEADER, given);
  return response;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The SDK answers with a JSON-RPC error.
    return undefined;
  }
}
