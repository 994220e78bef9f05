import { z } from 'zod';
import type { AppContext, AppRequest } from '../app/context.js';
import { readBody } from '../app/read-body.js';
import type { AgentGate } from './agent-gate.js';
import type { ClientSessions } from './client-sessions.js';
import { opensLinks } from './elicit-approval.js';
import { gatewayServer } from './gateway-server.js';
import type * as Sdk from './sdk.js';
import type { SentElicitations } from './sent-elicitations.js';
import { requestKey, type WaitingClients } from './waiting-clients.js';

const SESSION_HEADER = 'mcp-session-id';
const idSchema = z.union([z.string(), z.number()]);
const initializeSchema = z.looseObject({
  method: z.literal('initialize'),
  params: z.looseObject({ capabilities: z.unknown() }).optional(),
});
/** An answer to something that the gateway asked the client. */
const answerSchema = z.looseObject({ id: idSchema, method: z.undefined().optional() });
const cancelledSchema = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId: idSchema }),
});

interface Parts {
  sdk: typeof Sdk;
  context: AppContext;
  gate: AgentGate;
  /** Whether the body was still being sent when the credential was checked. */
  isLate: boolean;
  sessions: ClientSessions;
  waiting: WaitingClients;
  elicitations: SentElicitations;
}

/** Answers one request of an MCP client. Requests of a session share nothing, so any process can answer any of them. */
export async function answerRequest(
  c: AppRequest,
  { sdk, context, gate, isLate, sessions, waiting, elicitations }: Parts,
): Promise<Response> {
  const { engine, version } = context;
  const body = await readBody(c, 'json', context.bodyLimit);
  if (isLate) await context.auth.middleware(c, async () => undefined);
  const message = parse(body);
  const first = initializeSchema.safeParse(message).data;
  const given =
    first === undefined
      ? c.req.header(SESSION_HEADER)
      : sessions.newId({ opensLinks: opensLinks(first.params?.capabilities) });
  const session = sessions.of(gate.agentId, given);
  const connection = `${gate.agentId} ${given ?? ''}`;
  // Each request is served alone, so the SDK can't find the request that a client cancels.
  const cancelled = cancelledSchema.safeParse(message);
  if (cancelled.success) waiting.cancel(requestKey(connection, cancelled.data.params.requestId));
  const answer = answerSchema.safeParse(message);
  if (answer.success) elicitations.answer(requestKey(connection, answer.data.id));
  const { raw } = c.req;
  const request = new Request(raw.url, { method: 'POST', headers: raw.headers, body, signal: raw.signal });
  const client = { session, connection, opensLinks: sessions.opensLinks(given), gone: raw.signal };
  const about = { sdk, engine, gate, waiting, elicitations, version, ...client };
  const handler = sdk.createMcpHandler(() => gatewayServer(about), {
    onerror: (error) => context.log.warn('MCP request refused', { error: String(error) }),
  });
  const response = await handler.fetch(request);
  if (first !== undefined && given !== undefined) response.headers.set(SESSION_HEADER, given);
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
