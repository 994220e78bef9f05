import {
  addMcpServer,
  listMcpContext,
  listMcpServers,
  readMcpContext,
  removeMcpServer,
  showMcpServer,
  testMcpServer,
  updateMcpServer,
} from '@countersign/core';
import {
  listOf,
  listQuerySchema,
  mcpContextRequestSchema,
  mcpContextSchema,
  mcpContextTextSchema,
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
    scope: 'world',
    tag,
    summary: 'List the MCP servers of a world, in the order they were added',
    description:
      'Environment variables and headers are listed by name, never with their values, which are encrypted in the store.',
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
    scope: 'world',
    tag,
    summary: 'Add an MCP server',
    description:
      'Starts the server, sandboxed if it is a program. Its tools are named `mcp__{server}__{tool}`. Their calls need approval unless a rule allows them; read-only tools of a trusted server run without approval.',
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
    scope: 'world',
    tag,
    summary: 'Get an MCP server, with its status and the end of its log',
    answers: { 200: { description: 'The server', schema: mcpServerSchema } },
    async handle({ context, params }) {
      const { value, version } = await showMcpServer(context.engine.runtime, params.world, params.name);
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'patch',
    path: '/worlds/{world}/mcp-servers/{name}',
    scope: 'world',
    tag,
    summary: 'Update an MCP server, or accept its current tool definitions',
    description:
      'Omitted fields stay unchanged. An enabled server restarts with the change; a failed one is restarted. `env` and `headers` replace all values; null keeps the stored value of a name, unless the URL points to another server. `accept` accepts the tools in `changed`; with `If-Match`, only the definitions you have seen.',
    headers: IF_MATCH,
    body: mcpServerChangeSchema,
    answers: { 200: { description: 'The updated server', schema: mcpServerSchema } },
    async handle({ context, params: { world, name }, body, c }) {
      const { runtime } = context.engine;
      const { value, version } = await updateMcpServer(runtime, world, name, body, c.var.signer, ifMatch(c));
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/mcp-servers/{name}/test',
    scope: 'world',
    tag,
    summary: 'Test an MCP server: start it if needed and list its tools',
    description:
      'Waits until the server is running or has failed, without the delay after a failure. A failure is a result too: `error`, `cause` and `log` say why. 409 if the server is turned off.',
    answers: { 200: { description: 'The server, with its tools and log', schema: mcpServerSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await testMcpServer(context.engine.runtime, params.world, params.name),
    }),
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/mcp-servers/{name}/context',
    scope: 'world',
    tag,
    summary: 'List the prompts and resources of an MCP server',
    description: 'Starts the server if needed. 409 if it is turned off or does not answer.',
    answers: { 200: { description: 'Prompts and resources', schema: mcpContextSchema } },
    handle: async ({ context, params }) => ({
      status: 200,
      body: await listMcpContext(context.engine.runtime, params.world, params.name),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/mcp-servers/{name}/context',
    scope: 'world',
    tag,
    summary: 'Read a prompt or resource from an MCP server',
    description:
      'Returns its text and sends it to no model. The text comes from the server and is untrusted. Content that is not text is replaced by a note, and secrets are masked. 409 if the server refuses the request.',
    body: mcpContextRequestSchema,
    answers: { 200: { description: 'The text', schema: mcpContextTextSchema } },
    handle: async ({ context, params: { world, name }, body }) => ({
      status: 200,
      body: { text: await readMcpContext(context.engine.runtime, world, name, body) },
    }),
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/mcp-servers/{name}',
    scope: 'world',
    tag,
    summary: 'Remove an MCP server',
    description: 'Stops the server and revokes the grants for its tools.',
    headers: IF_MATCH,
    answers: { 204: { description: 'MCP server removed' } },
    async handle({ context, params, c }) {
      await removeMcpServer(context.engine.runtime, params.world, params.name, c.var.signer, ifMatch(c));
      return { status: 204 };
    },
  }),
];
