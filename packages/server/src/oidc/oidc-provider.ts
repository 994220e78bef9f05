import type * as OpenId from 'openid-client';
import type { Clock } from '@countersign/core/ports';
import type { OidcSettings } from './oidc-settings.js';

/** How long the provider may take to answer one request. */
const TIMEOUT_S = 10;
/** How long its metadata is kept. Keys are never kept, so that a rotated key works at once. */
const METADATA_MS = 5 * 60_000;
const LONGEST_GROUP = 200;
const MOST_GROUPS = 1_000;

/** What the browser must bring back, and the secrets that the code is redeemed with. */
interface OidcAttempt {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
}

/** The parameters that the provider added to the redirect URI. */
interface OidcAnswer {
  state: string;
  code?: string;
  iss?: string;
  error?: string;
}

/** An account that the provider has confirmed. */
export interface OidcAccount {
  issuer: string;
  subject: string;
  name?: string;
  /** Only if the provider says that the address was verified. */
  email?: string;
  groups: readonly string[];
  refreshToken?: string;
}

/** `unreachable`: try again later. `refused`: the provider said no. `invalid`: it sent something that we don't accept. */
export class OidcError extends Error {
  readonly kind: 'unreachable' | 'refused' | 'invalid';
  constructor(kind: OidcError['kind'], cause: unknown) {
    super(`OIDC provider: ${kind}`, { cause });
    this.kind = kind;
  }
}

/** Speaks OpenID Connect with the configured provider: authorization code, PKCE, state and nonce. Failures are `OidcError`s. */
export interface OidcProvider {
  start(redirectUri: string): Promise<OidcAttempt & { url: string }>;
  redeem(attempt: OidcAttempt, answer: OidcAnswer): Promise<OidcAccount>;
  /** Undefined if the provider no longer knows the person, or has ended their sign-in. */
  refresh(account: Pick<OidcAccount, 'issuer' | 'subject'>, refreshToken: string): Promise<OidcAccount | undefined>;
}

export function createOidcProvider(settings: OidcSettings, clock: Pick<Clock, 'now'>): OidcProvider {
  const issuer = new URL(settings.issuer);
  let known: { metadata: Promise<OpenId.ServerMetadata>; at: number } | undefined;

  /** Requests at the same time share one discovery. */
  async function metadata(oidc: typeof OpenId): Promise<OpenId.ServerMetadata> {
    const now = clock.now();
    if (known === undefined || Math.abs(now - known.at) > METADATA_MS) {
      const read = discover(oidc);
      known = { metadata: read, at: now };
      read.catch(() => {
        known = undefined;
      });
    }
    return await known.metadata;
  }

  async function discover(oidc: typeof OpenId): Promise<OpenId.ServerMetadata> {
    const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
    const found = await oidc.discovery(issuer, settings.clientId, undefined, undefined, {
      execute,
      timeout: TIMEOUT_S,
    });
    return found.serverMetadata();
  }

  async function configure(oidc: typeof OpenId): Promise<OpenId.Configuration> {
    const server = await metadata(oidc);
    const config = new oidc.Configuration(server, settings.clientId, undefined, clientAuth(oidc, server));
    config.timeout = TIMEOUT_S;
    if (issuer.protocol === 'http:') oidc.allowInsecureRequests(config);
    // Verifies signatures of ID tokens, although they come from the provider directly.
    oidc.enableNonRepudiationChecks(config);
    return config;
  }

  function clientAuth(oidc: typeof OpenId, server: OpenId.ServerMetadata): OpenId.ClientAuth {
    if (settings.clientSecret === undefined) return oidc.None();
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return methods.includes('client_secret_basic')
      ? oidc.ClientSecretBasic(settings.clientSecret)
      : oidc.ClientSecretPost(settings.clientSecret);
  }

  /** Groups that the ID token lacks may be in the user info. */
  async function accountOf(
    oidc: typeof OpenId,
    config: OpenId.Configuration,
    tokens: Pick<OpenId.TokenEndpointResponse, 'access_token' | 'refresh_token'>,
    idToken: OpenId.IDToken | undefined,
    subject: string,
  ): Promise<OidcAccount> {
    // An issuer for several tenants would otherwise let anyone with a tenant of their own choose their groups.
    if (idToken !== undefined && (idToken.iss !== config.serverMetadata().issuer || idToken.sub !== subject))
      throw new OidcError('invalid', 'the ID token has another issuer or subject');
    const hasGroups = idToken !== undefined && Object.hasOwn(idToken, settings.groupsClaim);
    const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
    const info = hasGroups || !hasUserInfo ? {} : await oidc.fetchUserInfo(config, tokens.access_token, subject);
    const claims: Record<string, unknown> = { ...idToken, ...info };
    const name = firstText(claims['name'], claims['preferred_username']);
    const email = claims['email_verified'] === true ? firstText(claims['email']) : undefined;
    return {
      issuer: config.serverMetadata().issuer,
      subject,
      groups: groupsIn(claims[settings.groupsClaim]),
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email }),
      ...(tokens.refresh_token === undefined ? {} : { refreshToken: tokens.refresh_token }),
    };
  }

  return {
    start: (redirectUri) =>
      explained(async (oidc) => {
        const config = await configure(oidc);
        const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: scopesOf(config.serverMetadata()),
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        });
        if (url.protocol !== 'https:' && url.protocol !== 'http:')
          throw new OidcError('invalid', 'the authorization endpoint is not a web address');
        return { url: url.href, state, nonce, verifier, redirectUri };
      }),
    redeem: ({ state, nonce, verifier, redirectUri }, answer) =>
      explained(async (oidc) => {
        const config = await configure(oidc);
        const returned = new URL(redirectUri);
        for (const [name, value] of Object.entries<string>({ ...answer })) returned.searchParams.set(name, value);
        const tokens = await oidc.authorizationCodeGrant(config, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const idToken = tokens.claims();
        if (idToken === undefined) throw new OidcError('invalid', 'there is no ID token');
        return await accountOf(oidc, config, tokens, idToken, idToken.sub);
      }),
    async refresh({ issuer: expected, subject }, refreshToken) {
      try {
        return await explained(async (oidc) => {
          const config = await configure(oidc);
          // The token of another provider, from before the settings changed, is not sent to this one.
          if (config.serverMetadata().issuer !== expected) throw new OidcError('invalid', 'the issuer has changed');
          const tokens = await oidc.refreshTokenGrant(config, refreshToken);
          const account = await accountOf(oidc, config, tokens, tokens.claims(), subject);
          // Without a new one, the old one stays valid.
          return { refreshToken, ...account };
        });
      } catch (error) {
        if (error instanceof OidcError && error.kind === 'refused') return undefined;
        throw error;
      }
    },
  };
}

const WANTED_SCOPES = ['profile', 'email', 'groups', 'offline_access'];

/** Some providers reject scopes that they don't know. */
function scopesOf({ scopes_supported: supported = ['profile', 'email'] }: OpenId.ServerMetadata): string {
  return ['openid', ...WANTED_SCOPES.filter((scope) => supported.includes(scope))].join(' ');
}

/** Error codes with which a token endpoint refuses a code or refresh token. Any other error is one of configuration. */
const REFUSED = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
]);

/** Loads the library when it is first needed, because few servers use it. Never quotes a response: it may contain a token. */
async function explained<T>(act: (oidc: typeof OpenId) => Promise<T>): Promise<T> {
  const oidc = await import('openid-client');
  try {
    return await act(oidc);
  } catch (error) {
    if (error instanceof OidcError) throw error;
    if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError)
      throw new OidcError(REFUSED.has(error.error) ? 'refused' : 'invalid', error);
    // The user info endpoint refuses the access token that was just issued: the account is gone.
    if (error instanceof oidc.WWWAuthenticateChallengeError) throw new OidcError('refused', error);
    throw new OidcError(isUnreachable(error) ? 'unreachable' : 'invalid', error);
  }
}

/** No connection, a timeout, or a server error, which may be a proxy's. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof TypeError && error.message === 'fetch failed') return true;
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') return true;
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Response && cause.status >= 500;
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim();
}

/** Some providers send a single group as a text. */
function groupsIn(claim: unknown): string[] {
  const groups: unknown[] = Array.isArray(claim) ? claim : [claim];
  const usable = groups.filter(
    (each): each is string => typeof each === 'string' && each !== '' && each.length <= LONGEST_GROUP,
  );
  return [...new Set(usable)].slice(0, MOST_GROUPS);
}
