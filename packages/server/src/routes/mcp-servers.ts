import { addMcpServer, listMcpServers, removeMcpServer, showMcpServer, updateMcpServer } from '@countersign/core';
import {
  listOf,
  listQuerySchema,
  mcpServerChangeSchema,
  mcpServerSchema,
  newMcpServerSchema,
} from '@countersign/protocol';
import { route } from '../app/route.js';
import { etag, IF_MATCH, ifMatch, pageOf } from './support.js';

const tag = 'mcp-servers';

export const mcpServerRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/mcp-servers',
    tag,
    summary: 'The MCP servers of a world, in the order they were added',
    description: 'Of variables and headers only the names are told, never a value.',
    query: listQuerySchema,
    answers: { 200: { description: 'Servers', schema: listOf(mcpServerSchema) } },
    handle: async ({ context, params, query }) => ({
      status: 200,
      body: pageOf(await listMcpServers(context.engine.runtime, params.world), ({ name }) => name, query),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/mcp-servers',
    tag,
    summary: 'Add an MCP server',
    description:
      'It is started at once, in the sandbox if it is a program; its tools are named `mcp__{server}__{tool}` and need approval unless a rule allows them; read-only tools of a trusted server run without approval.',
    body: newMcpServerSchema,
    answers: { 201: { description: 'The server', schema: mcpServerSchema } },
    async handle({ context, params, body, c }) {
      const { value, version } = await addMcpServer(context.engine.runtime, params.world, body, c.var.signer);
      return { status: 201, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/mcp-servers/{name}',
    tag,
    summary: 'One MCP server, with how it does and the last things it said',
    answers: { 200: { description: 'The server', schema: mcpServerSchema } },
    async handle({ context, params }) {
      const { value, version } = await showMcpServer(context.engine.runtime, params.world, params.name);
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'patch',
    path: '/worlds/{world}/mcp-servers/{name}',
    tag,
    summary: 'Change an MCP server, or accept what its tools say of themselves now',
    description:
      'What is left out stays. A server that is on is started with what changed, and one that failed is tried again. `env` and `headers` are sent whole; null keeps the value stored under a name. `accept` ends what `changed` lists: with `If-Match`, only what was seen is accepted.',
    headers: IF_MATCH,
    body: mcpServerChangeSchema,
    answers: { 200: { description: 'The server as it is now', schema: mcpServerSchema } },
    async handle({ context, params: { world, name }, body, c }) {
      const { runtime } = context.engine;
      const { value, version } = await updateMcpServer(runtime, world, name, body, c.var.signer, ifMatch(c));
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/mcp-servers/{name}',
    tag,
    summary: 'Remove an MCP server',
    description: 'It is ended, and the grants for its tools are revoked.',
    headers: IF_MATCH,
    answers: { 204: { description: 'It is gone' } },
    async handle({ context, params, c }) {
      await removeMcpServer(context.engine.runtime, params.world, params.name, c.var.signer, ifMatch(c));
      return { status: 204 };
    },
  }),
];
