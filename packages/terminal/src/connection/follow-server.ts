import { LEAVING_HEADER } from '@countersign/protocol';
import { channelFetch } from '@countersign/server/channel';
import { findUnproven } from './find-unproven.js';
import type { FoundServer } from './server-access.js';

/** The URL and token of a server. */
export interface Address extends FoundServer {
  readonly token: string;
}

type Tried =
  | { readonly kind: 'answer' | 'left'; readonly response: Response }
  | { readonly kind: 'gone'; readonly error: unknown };

/**
 * A fetch that follows a home folder's server: when the server ends or its token changes, it looks the server up again. Retries only reads and rejected requests, which had no
 * effect.
 */
export function followServer(
  first: Address,
  findNext: (from: Address) => Promise<Address>,
  fetchWith: (token: string) => typeof fetch = channelFetch,
): { readonly fetch: typeof fetch } {
  let address = first;
  let locating: Promise<Address> | undefined;

  /** Runs once for all concurrent requests. */
  async function relocate(from: Address): Promise<void> {
    if (address !== from) return;
    locating ??= findNext(from).finally(() => {
      locating = undefined;
    });
    address = await locating;
  }

  async function tryAt(at: Address, input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Tried> {
    try {
      const response = await fetchWith(at.token)(movedTo(at, input), withToken(at, init));
      // The server may have been restarted with another token. A refused request had no effect.
      const isLeft = response.headers.has(LEAVING_HEADER) || response.status === 401;
      return { kind: isLeft ? 'left' : 'answer', response };
    } catch (error) {
      const isHarmless = wasUnsent(error) || (init?.method ?? 'GET') === 'GET';
      if (!isHarmless || init?.signal?.aborted === true) throw error;
      return { kind: 'gone', error };
    }
  }

  return {
    async fetch(input, init) {
      const tried = address;
      const first = await tryAt(tried, input, init);
      if (first.kind === 'answer') return first.response;
      try {
        await relocate(tried);
      } catch {
        // The next attempt may succeed; report the original error for now.
        if ('error' in first) throw first.error;
        return first.response;
      }
      return await fetchWith(address.token)(movedTo(address, input), withToken(address, init));
    },
  };
}

function movedTo({ url }: Address, input: Parameters<typeof fetch>[0]): string {
  const asked = new URL(input instanceof Request ? input.url : input);
  return `${url}${asked.pathname}${asked.search}`;
}

function withToken({ token }: Address, init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${token}`);
  return { ...init, headers };
}

function wasUnsent(error: unknown): boolean {
  if (findUnproven(error) !== undefined) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
