import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Provider } from 'oidc-provider';

interface Account {
  name?: string;
  email?: string;
  email_verified?: boolean;
  groups: unknown;
}

type Claims = Record<string, unknown>;

export const CLIENT = { id: 'countersign', secret: 'a-client-secret-that-only-the-server-knows' };

/** A real OpenID provider on loopback, with its own sign-in pages. */
export interface OidcAccounts {
  issuer: string;
  /** By subject, which is also the login. Others don't exist. */
  accounts: Map<string, Account>;
  /** Changes the ID tokens that it issues, and signs them again. */
  idToken: ((claims: Claims) => Claims) | undefined;
  /** Signs ID tokens with a key that it doesn't publish. */
  forges: boolean;
  /** Changes its metadata. */
  metadata: ((metadata: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Answered token requests, by grant type. */
  readonly grants: string[];
  readonly secrets: string[];
  /** Registers our client with these redirect URIs. */
  register(...redirectUris: string[]): void;
  rotateKeys(): void;
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** Signs in like a person with a browser. Returns the URL that the browser is sent back to. */
  signIn(url: string, login: string): Promise<URL>;
}

export async function startOidcAccounts(): Promise<OidcAccounts> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end();
  let server = await listen(0, (request, response) => answer(request, response));
  const port = portOf(server);
  const issuer = `http://127.0.0.1:${port}`;
  let key: KeyObject;
  let redirectUris: readonly string[] = [];
  let kid = 0;

  function create(): void {
    key = newKey();
    kid += 1;
    const jwk = { ...key.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: `key-${port}-${kid}` };
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code', 'refresh_token'],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      cookies: { keys: ['cookie-key'] },
      jwks: { keys: [jwk] },
      pkce: { required: () => true },
      scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
      claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
      rotateRefreshToken: true,
      issueRefreshToken: () => true,
      findAccount: (_: unknown, id: string) => {
        const account = fixture.accounts.get(id);
        return account === undefined ? undefined : { accountId: id, claims: () => ({ sub: id, ...account }) };
      },
      ttl: { AccessToken: 600, Grant: 3600, IdToken: 600, RefreshToken: 3600, Session: 3600, Interaction: 600 },
      features: { devInteractions: { enabled: true } },
    });
    provider.use(async (context, next) => {
      await next();
      const body = context.body as Record<string, unknown> | undefined;
      if (body === undefined) return;
      if (context.path.startsWith('/.well-known/openid')) context.body = fixture.metadata?.(body) ?? body;
      if (context.path !== '/token') return;
      fixture.grants.push(typeof body['access_token'] === 'string' ? 'granted' : 'refused');
      for (const name of ['access_token', 'refresh_token', 'id_token'])
        if (typeof body[name] === 'string') fixture.secrets.push(body[name]);
      const { idToken, forges } = fixture;
      if (typeof body['id_token'] !== 'string' || (idToken === undefined && !forges)) return;
      const claims = JSON.parse(Buffer.from(body['id_token'].split('.')[1] ?? '', 'base64url').toString()) as Claims;
      const signed = sign({ alg: 'ES256', kid: jwk.kid }, idToken?.(claims) ?? claims, forges ? newKey() : key);
      context.body = { ...body, id_token: signed };
    });
    answer = provider.callback();
  }

  const fixture: OidcAccounts = {
    issuer,
    accounts: new Map(),
    idToken: undefined,
    forges: false,
    metadata: undefined,
    grants: [],
    secrets: [],
    register(...given) {
      redirectUris = given;
      create();
    },
    rotateKeys: create,
    async stop() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    async restart() {
      server = await listen(port, (request, response) => answer(request, response));
    },
    signIn: (url, login) => signInAt(issuer, url, login),
  };
  create();
  return fixture;
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function sign(header: Claims, claims: Claims, key: KeyObject): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createSign('SHA256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url')}`;
}

async function listen(port: number, handle: RequestListener): Promise<Server> {
  const server = createServer(handle).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Fills in the forms of the provider's sign-in pages, with cookies, until it sends the browser elsewhere. */
export async function signInAt(issuer: string, start: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const go = async (to: URL, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...Object.fromEntries(new Headers(init.headers)), cookie };
    const response = await fetch(to, { ...init, redirect: 'manual', headers });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  let response = await go(new URL(start));
  for (let step = 0; step < 12; step += 1) {
    const location = response.headers.get('location');
    if (location !== null) {
      const to = new URL(location, issuer);
      if (to.origin !== issuer) return to;
      response = await go(to);
      continue;
    }
    const html = await response.text();
    const action = /action="([^"]+)"/.exec(html)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`no form: ${html}`);
    response = await go(new URL(action, issuer), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ prompt, login, password: 'x' }),
    });
  }
  throw new Error('the sign-in did not end');
}
