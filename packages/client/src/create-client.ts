import {
  acceptedMessageSchema,
  agentSchema,
  approvalWithContextSchema,
  auditEntrySchema,
  auditVerdictSchema,
  chatSchema,
  END_OF_LIST,
  grantSchema,
  healthSchema,
  importedWorldSchema,
  listedToolSchema,
  listOf,
  mcpServerSchema,
  messageListSchema,
  messageSchema,
  policyVerdictSchema,
  providerStatusSchema,
  queuedApprovalSchema,
  registeredClientSchema,
  searchHitSchema,
  sessionSchema,
  shownPolicySchema,
  statsSchema,
  timelineSchema,
  toolApprovalSchema,
  toolResultReplySchema,
  worldSchema,
  type NewClient,
  type RegisteredClient,
} from '@countersign/protocol';
import type { z } from 'zod';
import { ClientError } from './client-error.js';
import type { BothWays, CallOptions, ChangeOptions, Client, List, Tagged } from './client.js';
import { backOff, pause, systemClock, type Clock } from './clock.js';
import { flatten, streamEvents, type Batch, type EventsOptions } from './events.js';
import { readJson, readText, send, type Connector, type Request } from './request.js';

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:4160`; a page of the server itself gives its own origin. */
  url: string;
  /** The bearer token, for programs. A browser never has it: it has a session (W1). */
  token?: string;
  /** The half of a session that a page keeps; the other half is a cookie. */
  session?: string;
  fetch?: typeof fetch;
  clock?: Clock;
  random?: () => number;
}

/** As a later server may write it: with more than we know. */
const toolSchema = listedToolSchema.strip().extend({ approval: toolApprovalSchema.strip().exactOptional() });

/** How often a message or a decision is sent that the server may not have got. Each can be sent again without harm. */
const TRIES = 4;

/** A client of one server. It holds no connection until it is used. */
export function createClient(options: ClientOptions): Client {
  const registered = new Map<string, { secret: string; as: NewClient }>();
  const registering = new Map<string, Promise<RegisteredClient>>();
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const connector: Connector = {
    url: options.url,
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.session === undefined ? {} : { session: options.session }),
    // Called as a method of something else, a browser's fetch refuses.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    secretFor: (world) => registered.get(world)?.secret,
  };

  async function get<S extends z.ZodType>(
    schema: S,
    request: Request,
    { signal }: CallOptions = {},
  ): Promise<z.output<S>> {
    return await readJson(await send(connector, { ...request, signal }), schema, signal);
  }
  async function list<S extends z.ZodType>(
    schema: S,
    request: Request,
    options?: CallOptions,
  ): Promise<List<z.output<S>>> {
    return await get(listOf(schema), request, options);
  }
  async function tagged<S extends z.ZodType>(
    schema: S,
    request: Request,
    { signal }: CallOptions = {},
  ): Promise<Tagged<z.output<S>>> {
    const response = await send(connector, { ...request, signal });
    return { value: await readJson(response, schema, signal), etag: response.headers.get('ETag') ?? undefined };
  }
  async function text(request: Request, { signal }: CallOptions = {}): Promise<string> {
    return await readText(await send(connector, { ...request, signal }), signal);
  }
  async function nothing(request: Request, { signal }: CallOptions = {}): Promise<void> {
    const response = await send(connector, { ...request, signal });
    await response.body?.cancel();
  }
  /** For what is the same when it is sent twice. */
  async function again<S extends z.ZodType>(
    schema: S,
    request: Request,
    options: CallOptions = {},
  ): Promise<z.output<S>> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await get(schema, request, options);
      } catch (error) {
        if (!(error instanceof ClientError) || error.kind !== 'network' || tries >= TRIES) throw error;
        await pause(clock, backOff(tries, random), options.signal);
      }
    }
  }

  async function register(world: string, as: NewClient, options: CallOptions = {}): Promise<RegisteredClient> {
    const request: Request = { method: 'POST', path: ['worlds', world, 'clients'], body: as };
    const made = await get(registeredClientSchema, request, options);
    registered.set(world, { secret: made.clientSecret, as });
    return made;
  }

  /** For what only a forgotten client is refused: away for longer than the server waits, all that is left is to come in anew. */
  async function sendKnown(world: string, request: Request): Promise<Response> {
    const before = registered.get(world);
    try {
      return await send(connector, request);
    } catch (error) {
      if (before === undefined || !(error instanceof ClientError) || error.status !== 403) throw error;
      if (registered.get(world) === before) await registerAgain(world, before.as);
      return await send(connector, request);
    }
  }

  /** Once, however many requests find out at the same time: each registration is another client to the server. */
  async function registerAgain(world: string, as: NewClient): Promise<void> {
    const running = registering.get(world) ?? register(world, as).finally(() => registering.delete(world));
    registering.set(world, running);
    await running;
  }

  const batches = (world: string, { chat, ...rest }: EventsOptions): AsyncGenerator<Batch, void, undefined> =>
    streamEvents(
      {
        worldId: world,
        clock,
        random,
        open: async (after, signal) => {
          const resume = after === undefined ? {} : { 'Last-Event-ID': String(after) };
          const path = ['worlds', world, ...(chat === undefined ? [] : ['chats', chat]), 'events'];
          return await sendKnown(world, { path, headers: { Accept: 'text/event-stream', ...resume }, signal });
        },
      },
      rest,
    );

  return {
    url: options.url,
    clock,
    random,
    health: (options) => get(healthSchema, { path: ['health'] }, options),
    openSession: (ticket, options) =>
      get(sessionSchema, { method: 'POST', path: ['session'], body: { ticket } }, options),
    providers: (options) => list(providerStatusSchema, { path: ['providers'] }, options),

    worlds: (page, options) => list(worldSchema, { path: ['worlds'], query: { ...page } }, options),
    world: (world, options) => tagged(worldSchema, { path: ['worlds', world] }, options),
    createWorld: (body, options) => get(worldSchema, { method: 'POST', path: ['worlds'], body }, options),
    updateWorld: (world, body, options) =>
      get(worldSchema, { method: 'PATCH', path: ['worlds', world], body, headers: ifMatch(options) }, options),
    deleteWorld: (world, options) =>
      nothing({ method: 'DELETE', path: ['worlds', world], headers: ifMatch(options) }, options),
    exportWorld: (world, options) => text({ path: ['worlds', world, 'export'] }, options),
    importWorld: (yaml, options) =>
      get(importedWorldSchema, { method: 'POST', path: ['worlds', 'import'], body: yaml }, options),

    agents: (world, page, options) =>
      list(agentSchema, { path: ['worlds', world, 'agents'], query: { ...page } }, options),
    agent: (world, agent, options) => tagged(agentSchema, { path: ['worlds', world, 'agents', agent] }, options),
    createAgent: (world, body, options) =>
      get(agentSchema, { method: 'POST', path: ['worlds', world, 'agents'], body }, options),
    updateAgent: (world, agent, body, options) =>
      get(
        agentSchema,
        { method: 'PATCH', path: ['worlds', world, 'agents', agent], body, headers: ifMatch(options) },
        options,
      ),
    deleteAgent: (world, agent, options) =>
      nothing({ method: 'DELETE', path: ['worlds', world, 'agents', agent], headers: ifMatch(options) }, options),
    memory: (world, agent, chat, page, options) =>
      list(messageSchema, { path: ['worlds', world, 'agents', agent, 'memory'], query: { chat, ...page } }, options),

    chats: (world, page, options) => list(chatSchema, { path: ['worlds', world, 'chats'], query: both(page) }, options),
    chat: (world, chat, options) => get(chatSchema, { path: ['worlds', world, 'chats', chat] }, options),
    createChat: (world, body = {}, options) =>
      get(chatSchema, { method: 'POST', path: ['worlds', world, 'chats'], body }, options),
    renameChat: (world, chat, title, options) =>
      get(chatSchema, { method: 'PATCH', path: ['worlds', world, 'chats', chat], body: { title } }, options),
    deleteChat: (world, chat, options) =>
      nothing({ method: 'DELETE', path: ['worlds', world, 'chats', chat] }, options),
    stop: (world, chat, options) =>
      nothing({ method: 'POST', path: ['worlds', world, 'chats', chat, 'stop'] }, options),

    messages: (world, chat, page, options) =>
      get(messageListSchema, { path: ['worlds', world, 'chats', chat, 'messages'], query: both(page) }, options),
    send: (world, chat, message, options) =>
      again(
        acceptedMessageSchema,
        {
          method: 'POST',
          path: ['worlds', world, 'chats', chat, 'messages'],
          body: { clientMessageId: newClientMessageId(), ...message },
        },
        options,
      ),
    search: (world, words, page, options) =>
      list(searchHitSchema, { path: ['worlds', world, 'search'], query: { q: words, ...page } }, options),

    approvals: async (world, filter = {}, { signal } = {}) => {
      // One that can't put a question to a person gets none (A13).
      if (registered.get(world)?.as.approvals === false) return { items: [] };
      const query = { status: 'pending', ...filter };
      const response = await sendKnown(world, { path: ['worlds', world, 'approvals'], query, signal });
      return await readJson(response, listOf(queuedApprovalSchema), signal);
    },
    approval: async (world, approval, { signal } = {}) => {
      const response = await sendKnown(world, { path: ['worlds', world, 'approvals', approval], signal });
      return await readJson(response, approvalWithContextSchema, signal);
    },
    decide: (world, { approvalId, callHash }, decision, options) =>
      again(
        toolResultReplySchema,
        {
          method: 'POST',
          path: ['worlds', world, 'tool-results'],
          body: { ...decision, tool_call_id: approvalId, ...(callHash === '' ? {} : { callHash }) },
        },
        options,
      ),
    answer: (world, { toolCallId, ...answer }, options) =>
      again(
        toolResultReplySchema,
        { method: 'POST', path: ['worlds', world, 'tool-results'], body: { ...answer, tool_call_id: toolCallId } },
        options,
      ),

    grants: (world, page, options) =>
      list(grantSchema, { path: ['worlds', world, 'grants'], query: { ...page } }, options),
    revoke: (world, grant, options) => nothing({ method: 'DELETE', path: ['worlds', world, 'grants', grant] }, options),
    policy: (world, options) => tagged(shownPolicySchema, { path: ['worlds', world, 'policy'] }, options),
    setPolicy: (world, body, options) =>
      tagged(
        shownPolicySchema,
        { method: 'PUT', path: ['worlds', world, 'policy'], body, headers: ifMatch(options) },
        options,
      ),
    checkPolicy: (world, body, options) =>
      get(policyVerdictSchema, { method: 'POST', path: ['worlds', world, 'policy', 'check'], body }, options),

    tools: (world, page, options) =>
      list(toolSchema, { path: ['worlds', world, 'tools'], query: { ...page } }, options),
    mcpServers: (world, page, options) =>
      list(mcpServerSchema, { path: ['worlds', world, 'mcp-servers'], query: { ...page } }, options),
    mcpServer: (world, name, options) =>
      get(mcpServerSchema, { path: ['worlds', world, 'mcp-servers', name] }, options),
    addMcpServer: (world, body, options) =>
      get(mcpServerSchema, { method: 'POST', path: ['worlds', world, 'mcp-servers'], body }, options),
    updateMcpServer: (world, name, body, options) =>
      get(
        mcpServerSchema,
        { method: 'PATCH', path: ['worlds', world, 'mcp-servers', name], body, headers: ifMatch(options) },
        options,
      ),
    removeMcpServer: (world, name, options) =>
      nothing({ method: 'DELETE', path: ['worlds', world, 'mcp-servers', name] }, options),

    audit: (world, page, options) =>
      list(auditEntrySchema, { path: ['worlds', world, 'audit'], query: { ...page } }, options),
    exportAudit: (world, format, options) => text({ path: ['worlds', world, 'audit'], query: { format } }, options),
    verifyAudit: (world, options) => get(auditVerdictSchema, { path: ['worlds', world, 'audit', 'verify'] }, options),
    stats: (world, options) => get(statsSchema, { path: ['worlds', world, 'stats'] }, options),
    timeline: (world, chat, turn, options) =>
      get(timelineSchema, { path: ['worlds', world, 'chats', chat, 'turns', turn, 'timeline'] }, options),

    registerClient: register,

    events: (world, options = {}) => flatten(batches(world, options)),
    eventBatches: (world, options = {}) => batches(world, options),
  };
}

function both({ newest, ...page }: BothWays = {}): NonNullable<Request['query']> {
  return { ...(newest === true ? { before: END_OF_LIST } : {}), ...page };
}

function ifMatch({ ifMatch: etag }: ChangeOptions = {}): Record<string, string> {
  return etag === undefined ? {} : { 'If-Match': etag };
}

/** Not `randomUUID`: a page that is not served from this machine has none. */
function newClientMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
