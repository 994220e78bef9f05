import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson, type Engine } from '@countersign/core';
import { errorMessage } from '@countersign/core/ports';
import type { ListedTool } from '@countersign/protocol';
import type { CallToolResult, Server, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AgentGate, ClientCall } from './agent-gate.js';
import { gatewayTexts } from './gateway-texts.js';
import { holdCall } from './hold-call.js';
import { PERMISSION_PROMPT, permissionRequestSchema, permissionText, type Permission } from './permission-prompt.js';
import type * as Sdk from './sdk.js';
import { text, toToolResult } from './to-tool-result.js';
import { MOST_HELD, type WaitingClients } from './waiting-clients.js';

export interface GatewayRequest {
  sdk: typeof Sdk;
  engine: Engine;
  gate: AgentGate;
  waiting: WaitingClients;
  session: string;
  /** Names the connection, for cancellations. */
  connection: string;
  version: string;
  /** Aborts when the client disconnects. */
  gone: AbortSignal;
}

const WAIT_FOR_CALL = {
  name: 'wait_for_call',
  description: 'Waits for a call that was answered with "pending" and returns its result.',
  inputSchema: {
    type: 'object' as const,
    properties: { call: { type: 'string', description: 'The id in the answer "pending".' } },
    required: ['call'],
  },
};
const waitSchema = z.object({ call: z.string().min(1).max(200) });

/** Clients that show progress wait for long; many others give up after a minute. */
const HOLD_MS = { withProgress: 60 * 60_000, without: 50_000 };
/** A client may name its call, so that it can send it again after it lost the connection. */
const KEY = 'countersign/key';
/** Tells such a client that it should send the call again, because this server is stopping. */
const AGAIN = 'countersign/again';
const keySchema = z.string().min(1).max(200);

type Tell = (message: string) => void;

/** The MCP server for one request of an external agent. It has no state of its own. */
export function gatewayServer(request: GatewayRequest): Server {
  const { gate, version, sdk } = request;
  const server = new sdk.Server(
    { name: 'countersign', version },
    { capabilities: { tools: {} }, instructions: gatewayTexts.instructions },
  );
  const own = gate.asksPermission ? [WAIT_FOR_CALL, PERMISSION_PROMPT] : [WAIT_FOR_CALL];
  const isOwn = (name: string): boolean => own.some((tool) => tool.name === name);
  const offered = async (): Promise<readonly ListedTool[]> =>
    (await gate.tools()).filter(({ name, location }) => location === 'server' && !isOwn(name));

  server.setRequestHandler('tools/list', async () => ({ tools: [...(await offered()).map(toTool), ...own] }));

  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken;
    let progress = 0;
    const tell: Tell = (message) => {
      if (token === undefined) return;
      const params = { progressToken: token, progress: (progress += 1), message };
      // The client may have left.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    const held = request.waiting.add(gate.agentId, cancelKeyOf(request.connection, mcpReq.id));
    if (held === undefined) return failure(gatewayTexts.tooMany(MOST_HELD));
    const stops = [held.signal, request.gone, mcpReq.signal];
    const about = { request, stops, tell, limitMs: token === undefined ? HOLD_MS.without : HOLD_MS.withProgress };
    const key = keySchema.safeParse(mcpReq._meta?.[KEY]).data ?? randomUUID();
    try {
      if (name === WAIT_FOR_CALL.name) return await waitFor(args, about);
      if (gate.asksPermission && name === PERMISSION_PROMPT.name) return await askPermission(args, about);
      if (!(await offered()).some((tool) => tool.name === name))
        throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, gatewayTexts.unknownTool(name));
      return await callTool({ tool: name, arguments: args, key }, about);
    } finally {
      held.end();
    }
  });
  return server;
}

/** Names a request for `notifications/cancelled`. */
export function cancelKeyOf(connection: string, id: string | number): string {
  return `${connection} ${typeof id} ${id}`;
}

function toTool({ name, description, parameters, trusted, readOnly }: ListedTool): Tool {
  return {
    name,
    description,
    inputSchema: { ...parameters, type: 'object' },
    ...(trusted && readOnly === true ? { annotations: { readOnlyHint: true } } : {}),
  };
}

/** Equal for calls with the same tool and arguments. Short, because calls whose client left are remembered. */
function sameCallOf(tool: string, argumentsText: string): string {
  return createHash('sha256').update(`${tool} ${argumentsText}`).digest('base64');
}

interface About {
  request: GatewayRequest;
  /** Abort when the client cancels or disconnects. */
  stops: readonly AbortSignal[];
  tell: Tell;
  limitMs: number;
}

async function callTool(
  { tool, arguments: args, key }: Pick<ClientCall, 'tool' | 'arguments' | 'key'>,
  about: About,
): Promise<CallToolResult> {
  const { gate, session, waiting } = about.request;
  const argumentsText = canonicalJson(args);
  const same = sameCallOf(tool, argumentsText);
  const proposing = `${gate.agentId} ${same}`;
  const isFirst = !waiting.isWatched(proposing);
  const unwatch = waiting.watch(proposing);
  try {
    const id =
      (isFirst ? await findLeft() : undefined) ?? (await gate.propose({ session, key, tool, arguments: args }));
    // Starts to watch the call before anyone else can look for it.
    const held = hold(id, about, same);
    unwatch();
    return await held;
  } finally {
    unwatch();
  }

  /** The same call, if its client left before it got the result: models repeat calls that timed out. Parallel calls are different calls. */
  async function findLeft(): Promise<string | undefined> {
    const left = waiting.takeLeft(gate.agentId, same);
    if (left !== undefined) return left;
    return (await gate.findWaiting(tool, argumentsText)).find((each) => !waiting.isWatched(each));
  }
}

async function waitFor(args: unknown, about: About): Promise<CallToolResult> {
  const { gate, engine } = about.request;
  const given = waitSchema.safeParse(args);
  const call = given.success
    ? await engine.runtime.store.read((reader) => reader.invocation(given.data.call))
    : undefined;
  if (
    call === undefined ||
    call.agentId !== gate.agentId ||
    call.worldId !== gate.worldId ||
    call.location !== 'server'
  )
    return failure(gatewayTexts.unknownCall);
  return await hold(call.id, about, sameCallOf(call.toolName, call.arguments));
}

async function hold(id: string, { request, stops, tell, limitMs }: About, same: string): Promise<CallToolResult> {
  const { engine, gate, waiting } = request;
  const { store } = engine.runtime;
  const unwatch = waiting.watch(id);
  let link: string | undefined;
  try {
    const held = await holdCall({
      engine,
      call: { id, worldId: gate.worldId },
      stops,
      limitMs,
      onState(state, call) {
        link = state === 'waiting' ? gate.link(call) : undefined;
        tell(link === undefined ? gatewayTexts.running(call.toolName) : gatewayTexts.waiting(call.toolName, link));
      },
      onOutput: tell,
    });
    if (held.kind === 'settled' && !stops.some(({ aborted }) => aborted)) {
      waiting.deliver(gate.agentId, id);
      const { chatId } = held.call;
      return await toToolResult(
        held.result,
        async (file) => (await store.read((reader) => reader.attachment(chatId, file)))?.data,
      );
    }
    waiting.leave(gate.agentId, same, id);
    const isStopping = engine.closing.aborted;
    return { content: [text(gatewayTexts.pending(id, link))], ...(isStopping ? { _meta: { [AGAIN]: true } } : {}) };
  } finally {
    unwatch();
  }
}

/** Claude Code's contract: every failure means no. */
async function askPermission(args: unknown, { request, stops }: About): Promise<CallToolResult> {
  const { gate, session, engine } = request;
  const permission = await decide().catch((error: unknown): Permission => {
    engine.runtime.report(error, 'A permission could not be asked for');
    return { deny: `${gatewayTexts.notAsked} ${errorMessage(error)}` };
  });
  return { content: [text(permissionText(permission))] };

  async function decide(): Promise<Permission> {
    const { tool_name: tool, input, tool_use_id: key = randomUUID() } = permissionRequestSchema.parse(args);
    return await gate.permission({ session, key, tool, arguments: input }, stops);
  }
}

function failure(said: string): CallToolResult {
  return { isError: true, content: [text(said)] };
}
