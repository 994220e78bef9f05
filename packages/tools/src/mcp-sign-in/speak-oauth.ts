import type {
  Clock,
  McpAuthorization,
  McpGrant,
  McpOAuthClient,
  McpPendingSignIn,
  McpRemote,
  McpSignInStart,
  McpSignInStarted,
  McpTokens,
} from '@countersign/core/ports';
import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  OAuthError,
  refreshAuthorization,
  registerClient,
  RegistrationRejectedError,
  resourceUrlFromServerUrl,
  startAuthorization,
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { guardedFetch, secureUrl } from './guarded-fetch.js';

/** Error codes after which the same request can't succeed. */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

export async function startSignIn(server: McpRemote, wanted: McpSignInStart): Promise<McpSignInStarted> {
  const fetchFn = guardedFetch(server.url, server);
  const challenge = await askForChallenge(server, fetchFn);
  const found = await explained(() =>
    discoverOAuthServerInfo(server.url, {
      ...(challenge.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      fetchFn,
    }),
  );
  const metadata = checkMetadata(found.authorizationServerMetadata);
  const { resourceMetadata } = found;
  const resource = resourceMetadata?.resource;
  const requestedResource = resourceUrlFromServerUrl(server.url);
  if (resource !== undefined && !checkResourceAllowed({ requestedResource, configuredResource: resource })) {
    throw new Error("the server's metadata describes a different server");
  }
  const scope = withOfflineAccess(challenge.scope ?? resourceMetadata?.scopes_supported?.join(' '), metadata);
  const client = await findClient(metadata, wanted, scope, fetchFn);
  if (client === undefined) return { kind: 'client-needed', issuer: metadata.issuer };
  const { authorizationUrl, codeVerifier } = await explained(() =>
    startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: informationOf(client),
      redirectUrl: wanted.redirectUrl,
      state: wanted.state,
      ...(scope === undefined ? {} : { scope }),
      ...(resource === undefined ? {} : { resource }),
    }),
  );
  const url = secureUrl(authorizationUrl).href;
  return { kind: 'ready', url, verifier: codeVerifier, ...authorizationOf(metadata, client, resource) };
}

/** Sends the code to the token endpoint that was recorded at the start, and only if the answer came from that server (RFC 9207). */
export async function redeemCode(
  clock: Pick<Clock, 'now'>,
  server: McpRemote,
  pending: McpPendingSignIn,
  { code, iss }: { code: string; iss?: string },
): Promise<McpTokens> {
  const { metadata, resource, client, verifier, redirectUrl } = pending;
  const tokens = await explained(() =>
    exchangeAuthorization(metadata.issuer, {
      metadata: metadata as unknown as AuthorizationServerMetadata,
      clientInformation: informationOf(client),
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
      codeVerifier: verifier,
      redirectUri: redirectUrl,
      ...(resource === undefined ? {} : { resource }),
      fetchFn: guardedFetch(server.url, server),
    }),
  );
  return toTokens(tokens, clock);
}

export async function refreshTokens(
  clock: Pick<Clock, 'now'>,
  server: McpRemote,
  { metadata, resource, client }: McpAuthorization,
  refreshToken: string,
): Promise<McpTokens | undefined> {
  try {
    const tokens = await refreshAuthorization(metadata.issuer, {
      metadata: metadata as unknown as AuthorizationServerMetadata,
      clientInformation: informationOf(client),
      refreshToken,
      ...(resource === undefined ? {} : { resource }),
      fetchFn: guardedFetch(server.url, server),
    });
    return toTokens(tokens, clock);
  } catch (error) {
    if (error instanceof OAuthError && FINAL.has(error.code)) return undefined;
    throw explain(error);
  }
}

/** RFC 7009. The refresh token is enough: servers also revoke the access tokens issued with it. */
export async function revokeTokens(server: McpRemote, { metadata, client, tokens }: McpGrant): Promise<void> {
  const endpoint = metadata['revocation_endpoint'];
  if (typeof endpoint !== 'string' || tokens === undefined) return;
  const body = new URLSearchParams({
    token: tokens.refresh ?? tokens.access,
    token_type_hint: tokens.refresh === undefined ? 'access_token' : 'refresh_token',
    client_id: client.id,
    ...(client.secret === undefined ? {} : { client_secret: client.secret }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await guardedFetch(server.url, server)(endpoint, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`the authorization server answered with ${response.status}`);
}

/** Asks the server without a token: its answer says where its metadata is and which scope it requires. */
async function askForChallenge(
  { url, headers }: McpRemote,
  fetchFn: FetchLike,
): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const response = await fetchFn(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

function checkMetadata(metadata: AuthorizationServerMetadata | undefined): AuthorizationServerMetadata {
  if (metadata === undefined) throw new Error('no authorization server of this server publishes metadata');
  secureUrl(metadata.authorization_endpoint);
  secureUrl(metadata.token_endpoint);
  // Without PKCE, a stolen code is enough to get tokens.
  if (metadata.code_challenge_methods_supported?.includes('S256') === true) return metadata;
  throw new Error(`${new URL(metadata.issuer).host} does not support PKCE with S256`);
}

/** With it, most authorization servers return a refresh token. */
function withOfflineAccess(
  scope: string | undefined,
  { scopes_supported: supported }: AuthorizationServerMetadata,
): string | undefined {
  const wanted = (scope ?? '').split(' ').filter((word) => word !== '');
  if (supported?.includes('offline_access') === true && !wanted.includes('offline_access'))
    wanted.push('offline_access');
  return wanted.length === 0 ? undefined : wanted.join(' ');
}

/** A registered client is used for one sign-in: the authorization server may have forgotten an older one. */
async function findClient(
  metadata: AuthorizationServerMetadata,
  { entered, known, redirectUrl }: McpSignInStart,
  scope: string | undefined,
  fetchFn: FetchLike,
): Promise<McpOAuthClient | undefined> {
  if (entered !== undefined) return { ...entered, source: 'entered' };
  // A client secret is sent only to the authorization server that it was entered for.
  if (known?.client.source === 'entered' && known.metadata.issuer === metadata.issuer) return known.client;
  if (metadata.registration_endpoint === undefined) return undefined;
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['none'];
  const registered = await explained(() =>
    registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        client_name: 'Countersign',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: methods.includes('none') ? 'none' : (methods[0] ?? 'none'),
        application_type: new URL(redirectUrl).protocol === 'https:' ? 'web' : 'native',
      },
      ...(scope === undefined ? {} : { scope }),
      fetchFn,
    }),
  );
  const { client_id: id, client_secret: secret } = registered;
  return { id, ...(secret === undefined ? {} : { secret }), source: 'registered' };
}

function informationOf({ id, secret }: McpOAuthClient): { client_id: string; client_secret?: string } {
  return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
}

function authorizationOf(
  metadata: AuthorizationServerMetadata,
  client: McpOAuthClient,
  resource: string | undefined,
): McpAuthorization {
  return { metadata: { ...metadata }, client, ...(resource === undefined ? {} : { resource }) };
}

function toTokens(tokens: OAuthTokens, clock: Pick<Clock, 'now'>): McpTokens {
  if (tokens.token_type.toLowerCase() !== 'bearer')
    throw new Error('the authorization server returned no bearer token');
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = tokens;
  return {
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(seconds === undefined ? {} : { expiresAt: clock.now() + seconds * 1000 }),
  };
}

async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw explain(error);
  }
}

/** Never quotes a response: an authorization server could repeat a token in it. */
function explain(error: unknown): Error {
  if (error instanceof OAuthError) {
    const code = /^[\w.-]{1,100}$/.test(error.code) ? error.code : 'unknown error';
    return new Error(`the authorization server rejected the request (${code})`, { cause: error });
  }
  if (error instanceof IssuerMismatchError) {
    return new Error('the response came from a different authorization server than the one that was asked', {
      cause: error,
    });
  }
  if (error instanceof RegistrationRejectedError) {
    return new Error('the authorization server refused to register this app', { cause: error });
  }
  // Our own sentences, from `secureUrl` and `guardedFetch`.
  if (error instanceof TypeError) return error;
  return new Error('the authorization server sent an invalid response', { cause: error });
}
