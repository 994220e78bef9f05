import type { Signer } from '@countersign/protocol';

/** A sign-in to a remote MCP server with OAuth (MCP4). It is stored encrypted and never sent to a client. */
export interface McpSignIn {
  grant?: McpGrant;
  /** A sign-in that waits until the browser comes back. */
  pending?: McpPendingSignIn;
  /** The refresh that is running. A refresh token may work only once, so two processes must not use it concurrently. */
  refresh?: { by: string; until: number };
  /** Why the last attempt to sign in failed, as text. */
  error?: string;
}

/** The authorization server and our client there. Codes and tokens are sent to no other server. */
export interface McpAuthorization {
  /** Its metadata, as validated when the sign-in started. */
  metadata: Readonly<Record<string, unknown>> & { readonly issuer: string };
  /** The MCP server's own identifier (RFC 8707), if it publishes one. */
  resource?: string;
  client: McpOAuthClient;
}

export interface McpOAuthClient {
  id: string;
  secret?: string;
  /** `entered` by a person, or `registered` dynamically for one sign-in. */
  source: 'entered' | 'registered';
}

export interface McpGrant extends McpAuthorization {
  /** Changes with each sign-in, but not when the tokens are refreshed. */
  id: string;
  /** Absent if the sign-in has expired or was revoked. */
  tokens?: McpTokens;
}

export interface McpTokens {
  access: string;
  refresh?: string;
  expiresAt?: number;
}

export interface McpPendingSignIn extends McpAuthorization {
  /** A hash of the `state` parameter; empty once the browser has come back. */
  state: string;
  /** The PKCE code verifier. */
  verifier: string;
  redirectUrl: string;
  expiresAt: number;
  /** The browser session that started the sign-in and must finish it. Absent if a program with the token started it. */
  session?: string;
  /** Who started it, for the audit log. */
  signer: Signer;
}

/** A remote server and the headers that it gets. */
export interface McpRemote {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Connect only to public addresses (SAFE2). */
  publicOnly?: true;
}

export interface McpSignInStart {
  redirectUrl: string;
  state: string;
  /** A client that the person registered with the authorization server. */
  entered?: { id: string; secret?: string };
  /** The grant so far. Its entered client is used again, unless the server names another authorization server. */
  known?: McpGrant;
}

export type McpSignInStarted =
  | ({ kind: 'ready'; url: string; verifier: string } & McpAuthorization)
  /** The authorization server doesn't register clients. */
  | { kind: 'client-needed'; issuer: string };

/** Speaks OAuth for the engine. All functions reject with a user-facing message that contains no secret. */
export interface McpAuthorizer {
  start(server: McpRemote, wanted: McpSignInStart): Promise<McpSignInStarted>;
  /** Exchanges the code for tokens. */
  redeem(server: McpRemote, pending: McpPendingSignIn, answer: { code: string; iss?: string }): Promise<McpTokens>;
  /** Undefined if the authorization server refuses the refresh token, so that a person must sign in again. */
  refresh(server: McpRemote, grant: McpAuthorization, refreshToken: string): Promise<McpTokens | undefined>;
  /** Revokes the tokens if the authorization server supports it. */
  revoke(server: McpRemote, grant: McpGrant): Promise<void>;
}

/** Whether a person entered the credential themselves, so that no sign-in replaces it. */
export function hasAuthorizationHeader({ headers }: Pick<McpRemote, 'headers'>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
