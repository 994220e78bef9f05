import type { Clock, McpAuthorizer } from '@countersign/core/ports';

/** Loads the SDK when someone signs in or tokens expire, because it takes long to load. */
export function createAuthorizer(clock: Pick<Clock, 'now'>): McpAuthorizer {
  const speak = () => import('./speak-oauth.js');
  return {
    start: async (server, wanted) => (await speak()).startSignIn(server, wanted),
    redeem: async (server, pending, answer) => (await speak()).redeemCode(clock, server, pending, answer),
    refresh: async (server, grant, token) => (await speak()).refreshTokens(clock, server, grant, token),
    revoke: async (server, grant) => (await speak()).revokeTokens(server, grant),
  };
}
