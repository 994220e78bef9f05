import { once } from 'node:events';
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { Provider } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { signInAt } from '../../support/oidc-accounts.js';

interface OAuthOptions {
  /** Whether the authorization server registers clients. Default: true. */
  registers?: boolean;
  /** Lifetime of access tokens. Default: an hour. */
  seconds?: number;
  clients?: readonly Record<string, unknown>[];
  /** Changes the authorization server's metadata. */
  metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Changes the MCP server's metadata. */
  resource?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Default: ends with the test. */
  onEnd?: (end: () => Promise<void>) => void;
}

/** An authorization server with its own sign-in pages, and an MCP server that accepts only its tokens. */
export interface OAuthServers {
  /** The URL of the MCP server. */
  url: string;
  issuer: string;
  /** All tokens that were issued, and the secrets of registered clients. */
  secrets: string[];
  /** The number of answered token requests, by grant type. */
  grants: string[];
  revokeAccess(): Promise<void>;
  revokeRefresh(): Promise<void>;
  /** Signs in like a person with a browser. Returns the URL that the browser is sent back to. */
  signIn(url: string): Promise<URL>;
}

async function listen(handle: RequestListener): Promise<{ origin: string; server: HttpServer }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, server };
}

export async function startOAuthServers(options: OAuthOptions = {}): Promise<OAuthServers> {
  const secrets: string[] = [];
  const grants: string[] = [];
  const tokens = { access: new Set<{ destroy(): Promise<void> }>(), refresh: new Set<{ destroy(): Promise<void> }>() };
  let answer: RequestListener = (_, response) => response.writeHead(503).end();
  const authorization = await listen((request, response) => answer(request, response));
  const issuer = authorization.origin;
  let answerMcp: RequestListener = (_, response) => response.writeHead(503).end();
  const mcp = await listen((request, response) => answerMcp(request, response));
  const url = `${mcp.origin}/mcp`;

  const provider = new Provider(issuer, {
    clients: options.clients ?? [],
    cookies: { keys: ['cookie-key'] },
    jwks: undefined,
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', 'tools'],
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: { AccessToken: options.seconds ?? 3600, Grant: 3600, RefreshToken: 3600, Session: 3600, Interaction: 600 },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: options.registers !== false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'tools', audience: url, accessTokenFormat: 'opaque' }),
        useGrantedResource: () => true,
      },
    },
  });
  provider.on('access_token.saved', (token) => tokens.access.add(token));
  provider.on('refresh_token.saved', (token) => tokens.refresh.add(token));
  provider.use(async (context, next) => {
    await next();
    const body = context.body as Record<string, unknown> | undefined;
    if (context.path.startsWith('/.well-known/') && body !== undefined) context.body = options.metadata?.(body) ?? body;
    if (context.path === '/reg' || context.path === '/token') {
      const found = ['access_token', 'refresh_token', 'client_secret', 'registration_access_token'];
      for (const name of found) if (typeof body?.[name] === 'string') secrets.push(body[name]);
    }
    if (context.path === '/token') grants.push(typeof body?.['access_token'] === 'string' ? 'granted' : 'refused');
  });
  answer = provider.callback();

  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'harbour', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'tide', description: 'The tide.', inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text' as const, text: 'High tide.' }] }));
    return server;
  });
  answerMcp = (request, response) => {
    void (async () => {
      const path = request.url ?? '';
      if (path.startsWith('/.well-known/oauth-protected-resource')) {
        const metadata = { resource: url, authorization_servers: [issuer], scopes_supported: ['tools'] };
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(options.resource?.(metadata) ?? metadata));
      }
      if (path !== '/mcp') return response.writeHead(404).end();
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
      const found = token === undefined ? undefined : await provider.AccessToken.find(token);
      if (found?.aud !== url) {
        const where = `Bearer resource_metadata="${mcp.origin}/.well-known/oauth-protected-resource/mcp"`;
        return response.writeHead(401, { 'www-authenticate': where }).end();
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
      const method = request.method ?? 'GET';
      const body = method === 'POST' ? { body: Buffer.concat(chunks) } : {};
      const reply = await handler.fetch(new Request(url, { method, headers, ...body }));
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      return response.end(Buffer.from(await reply.arrayBuffer()));
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  };
  const end = async (): Promise<void> => {
    for (const { server } of [mcp, authorization]) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  };
  (options.onEnd ?? onTestFinished)(end);
  const destroy = async (all: Set<{ destroy(): Promise<void> }>): Promise<void> => {
    for (const token of all) await token.destroy();
    all.clear();
  };
  return {
    url,
    issuer,
    secrets,
    grants,
    revokeAccess: () => destroy(tokens.access),
    revokeRefresh: () => destroy(tokens.refresh),
    signIn: (start) => signInAt(issuer, start, 'ada'),
  };
}
