import type { Clock, McpTokens } from '@countersign/core/ports';
import type { AuthProvider } from '@modelcontextprotocol/client';

/** Refreshed this long before they expire, so that they don't expire in flight. */
const MARGIN_MS = 30_000;

interface TokenHolder {
  clock: Pick<Clock, 'now'>;
  /** The latest tokens that this process knows. */
  tokens: () => McpTokens | undefined;
  /** Replaces an access token that no longer works. Undefined if a person must sign in again. */
  renew: (used: string) => Promise<McpTokens | undefined>;
  /** Whether someone was signed in before. */
  wasSignedIn: () => boolean;
}

/** Adds the access token to requests to a remote server. Refreshes it once if it has expired or the server refuses it. */
export function presentTokens({ clock, tokens, renew, wasSignedIn }: TokenHolder): AuthProvider {
  let used: string | undefined;
  return {
    async token() {
      const now = tokens();
      const isOld =
        now?.expiresAt !== undefined && now.refresh !== undefined && now.expiresAt - MARGIN_MS < clock.now();
      used = (now !== undefined && isOld ? await renew(now.access) : now)?.access;
      return used;
    },
    async onUnauthorized() {
      const fresh = used === undefined ? undefined : await renew(used);
      if (fresh === undefined)
        throw new Error(wasSignedIn() ? 'the sign-in has expired' : 'it requires you to sign in');
    },
  };
}
