import {
  addMcpServer,
  listMcpContext,
  listMcpServers,
  readMcpContext,
  removeMcpServer,
  restartMcpServer,
  showMcpServer,
  signOutOfMcpServer,
  startMcpSignIn,
  finishMcpSignIn,
  testMcpServer,
  updateMcpServer,
} from '@countersign/core';
import {
  confirmedMcpChangeSchema,
  confirmedMcpServerSchema,
  effectiveActions,
  listOf,
  listQuerySchema,
  mcpContextRequestSchema,
  mcpContextSchema,
  mcpContextTextSchema,
  mcpServerSchema,
  mcpSignInAnswerSchema,
  mcpSignInRequestSchema,
  mcpSignInStartSchema,
  mcpSignedInSchema,
} from '@countersign/protocol';
import { route } from '../app/route.js';
import { safeguardsOf } from '../confirmations/confirm-change.js';
import { etag, IF_MATCH, ifMatch, pageOf, returnUrlAt } from './support.js';

const tag = 'mcp-servers';

export const mcpServerRoutes = [
  route({
    method: 'get',
    path: '/worlds/{world}/mcp-servers',
    scope: 'world',
    needs: 'read',
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
    needs: 'admin',
    tag,
    summary: 'Add an MCP server',
    description:
      'Starts the server, sandboxed if it is a program. Its tools are named `mcp__{server}__{tool}`. Their calls need approval unless a rule allows them; read-only tools of a trusted server run without approval. Needs a `confirmation` while a rule `with passkey` applies.',
    body: confirmedMcpServerSchema,
    answers: { 201: { description: 'The server', schema: mcpServerSchema } },
    async handle({ context, params, body, sent, c }) {
      const { confirmation: _, ...server } = body;
      const safeguards = await safeguardsOf({ c, context, sent });
      const { runtime } = context.engine;
      const { value, version } = await addMcpServer(runtime, params.world, server, c.var.signer, safeguards);
      return { status: 201, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'get',
    path: '/worlds/{world}/mcp-servers/{name}',
    scope: 'world',
    needs: 'read',
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
    needs: 'admin',
    tag,
    summary: 'Update an MCP server, or accept its current tool definitions',
    description:
      'Omitted fields stay unchanged. An enabled server restarts with the change; a failed one is restarted. `env` and `headers` replace all values; null keeps the stored value of a name, unless the URL points to another server or the command or its arguments change. `accept` accepts the tools in `changed`; with `If-Match`, only the definitions you have seen. Another connection, and turning a server on or trusting it, needs a `confirmation` while a rule `with passkey` applies.',
    headers: IF_MATCH,
    body: confirmedMcpChangeSchema,
    answers: { 200: { description: 'The updated server', schema: mcpServerSchema } },
    async handle({ context, params: { world, name }, body, sent, c }) {
      const { confirmation: _, ...change } = body;
      const { runtime } = context.engine;
      const { value, version } = await updateMcpServer(runtime, world, name, change, c.var.signer, {
        expected: ifMatch(c),
        ...(await safeguardsOf({ c, context, sent })),
      });
      return { status: 200, body: value, headers: etag(version) };
    },
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/mcp-servers/{name}/restart',
    scope: 'world',
    needs: 'admin',
    tag,
    summary: 'Restart an MCP server',
    description:
      'Stops the server and starts it again in the background, with its current definition. 409 if it is turned off. With several processes, the one that answers restarts its own.',
    answers: { 200: { description: 'The server, which is starting', schema: mcpServerSchema } },
    handle: async ({ context, params, c }) => ({
      status: 200,
      body: await restartMcpServer(context.engine.runtime, params.world, params.name, c.var.signer),
    }),
  }),
  route({
    method: 'post',
    path: '/worlds/{world}/mcp-servers/{name}/test',
    scope: 'world',
    needs: 'admin',
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
    needs: 'chat',
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
    needs: 'chat',
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
    method: 'post',
    path: '/worlds/{world}/mcp-servers/{name}/sign-in',
    scope: 'own-server',
    needs: 'admin',
    tag,
    summary: 'Start a sign-in to a remote MCP server',
    description:
      "Finds the authorization server of the MCP server and registers this app there. Open `url` in a browser within ten minutes. With a browser session, the same session must finish the sign-in. `client-needed`: register an app with `redirectUrl` there and send its `clientId`. 409 if the server can't be reached or doesn't support sign-in.",
    body: mcpSignInRequestSchema,
    answers: { 200: { description: 'The URL to open, or what is missing', schema: mcpSignInStartSchema } },
    async handle({ context, params: { world: worldId, name }, body: { origin, ...client }, c }) {
      const redirectUrl = returnUrlAt(origin, '/oauth/callback', context);
      const session = await context.auth.sessionOf(c);
      const start = { worldId, name, redirectUrl, session, signer: c.var.signer, ...client };
      return { status: 200, body: await startMcpSignIn(context.engine.runtime, start) };
    },
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/mcp-servers/{name}/sign-in',
    scope: 'own-server',
    needs: 'admin',
    tag,
    summary: 'Sign out of a remote MCP server',
    description: 'Deletes the tokens, and revokes them if the authorization server supports it.',
    answers: { 200: { description: 'The server', schema: mcpServerSchema } },
    handle: async ({ context, params: { world: worldId, name }, c }) => ({
      status: 200,
      body: await signOutOfMcpServer(context.engine.runtime, { worldId, name }, c.var.signer),
    }),
  }),
  route({
    method: 'post',
    path: '/mcp-sign-ins',
    scope: 'own-server',
    needs: 'no-credential',
    tag,
    summary: 'Finish a sign-in to a remote MCP server',
    description:
      'The page at `/oauth/callback/{callback}` sends the last part of its URL and the parameters that the authorization server added. The `state` works once, within ten minutes. A sign-in that a browser session started needs that session; one that a program with the token started needs no other credential. 409 if the sign-in failed.',
    body: mcpSignInAnswerSchema,
    answers: { 200: { description: 'Signed in', schema: mcpSignedInSchema } },
    handle: async ({ context, body, c }) => ({
      status: 200,
      body: await finishMcpSignIn(context.engine.runtime, body, {
        session: () => context.auth.sessionOf(c),
        mayChange: async (worldId, { who }) => {
          if (who.kind !== 'person') return true;
          const person = await context.engine.runtime.store.read((reader) => reader.person(who.id));
          return person !== undefined && effectiveActions(person, worldId, undefined).has('admin');
        },
      }),
    }),
  }),
  route({
    method: 'delete',
    path: '/worlds/{world}/mcp-servers/{name}',
    scope: 'world',
    needs: 'admin',
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
