import { randomUUID } from 'node:crypto';
import { errorMessage } from '@countersign/core/ports';
import type { ListedTool } from '@countersign/protocol';
import type { CallToolResult, Server, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { callTool, failure, waitFor, type About } from './call-tool.js';
import { findElicitation } from './elicit-approval.js';
import type { GatewayRequest } from './gateway-request.js';
import { gatewayTexts } from './gateway-texts.js';
import { PERMISSION_PROMPT, permissionRequestSchema, permissionText, type Permission } from './permission-prompt.js';
import { text } from './to-tool-result.js';
import { MOST_HELD, requestKey } from './waiting-clients.js';

const WAIT_FOR_CALL = {
  name: 'wait_for_call',
  description: 'Waits for a call that was answered with "pending" and returns its result.',
  inputSchema: {
    type: 'object' as const,
    properties: { call: { type: 'string', description: 'The id in the answer "pending".' } },
    required: ['call'],
  },
};

/** Clients that show progress wait for long; many others give up after a minute. */
const HOLD_MS = { withProgress: 60 * 60_000, without: 50_000 };
/** A client may name its call, so that it can send it again after it lost the connection. */
const KEY = 'countersign/key';
const keySchema = z.string().min(1).max(200);

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
    const tell: About['tell'] = (message) => {
      if (token === undefined) return;
      const params = { progressToken: token, progress: (progress += 1), message };
      // The client may have left.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    const held = request.waiting.add(gate.agentId, requestKey(request.connection, mcpReq.id));
    if (held === undefined) return failure(gatewayTexts.tooMany(MOST_HELD));
    const stops = [held.signal, request.gone, mcpReq.signal];
    const limitMs = token === undefined ? HOLD_MS.without : HOLD_MS.withProgress;
    const about: About = { request, stops, tell, limitMs, elicitation: findElicitation(request, server, mcpReq) };
    const key = keySchema.safeParse(mcpReq._meta?.[KEY]).data ?? randomUUID();
    try {
      if (name === WAIT_FOR_CALL.name) return await waitFor(args, about);
      if (gate.asksPermission && name === PERMISSION_PROMPT.name) return await askPermission(args, about);
      if (!(await offered()).some((tool) => tool.name === name))
        throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, gatewayTexts.unknownTool(name));
      const proposed = mcpReq.requestState();
      // The client has shown the link and sends its call again.
      if (proposed !== undefined) return await waitFor({ call: proposed }, about);
      return await callTool({ tool: name, arguments: args, key }, about);
    } finally {
      held.end();
    }
  });
  return server;
}

function toTool({ name, description, parameters, trusted, readOnly }: ListedTool): Tool {
  return {
    name,
    description,
    inputSchema: { ...parameters, type: 'object' },
    ...(trusted && readOnly === true ? { annotations: { readOnlyHint: true } } : {}),
  };
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
