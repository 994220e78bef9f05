import { LEAVING_HEADER } from '@countersign/protocol';

/** Where a server is, and what opens it. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

type Tried =
  | { readonly kind: 'answer' | 'leaving'; readonly response: Response }
  | { readonly kind: 'gone'; readonly error: unknown };

/** So long a server that is gone may take to be there again, before this command brings its own. */
const MOST_PATIENT_MS = 10_000;

export interface Following {
  readonly fetch: typeof fetch;
  /** Where it is now. */
  readonly address: () => Address;
}

/**
 * A fetch that goes where the server of a home is now. The server of another command ends with that command, and this one must not
 * fail with it: it talks to the next, or becomes the next. Only what was refused was certainly not done, and only that is sent again;
 * and what only reads.
 */
export function followServer(
  first: Address,
  locate: (patienceMs: number) => Promise<Address>,
  send: typeof fetch = fetch,
): Following {
  let address = first;
  let locating: Promise<Address> | undefined;
  const begun = Date.now();

  /** Once, however many requests find out at the same time. */
  async function relocate(from: Address): Promise<void> {
    if (address !== from) return;
    // One that has just been found ends with a short command; one that was there for long is being started again.
    locating ??= locate(Math.min(MOST_PATIENT_MS, Date.now() - begun)).finally(() => {
      locating = undefined;
    });
    address = await locating;
  }

  async function tryAt(at: Address, input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Tried> {
    try {
      const response = await send(movedTo(at, input), withToken(at, init));
      return { kind: response.headers.has(LEAVING_HEADER) ? 'leaving' : 'answer', response };
    } catch (error) {
      const isHarmless = wasRefused(error) || (init?.method ?? 'GET') === 'GET';
      if (!isHarmless || init?.signal?.aborted === true) throw error;
      return { kind: 'gone', error };
    }
  }

  return {
    address: () => address,
    async fetch(input, init) {
      const tried = address;
      const first = await tryAt(tried, input, init);
      if (first.kind === 'answer') return first.response;
      try {
        await relocate(tried);
      } catch {
        // The next try may find more; meanwhile what is wrong is that nobody answers.
        if ('error' in first) throw first.error;
        return first.response;
      }
      return await send(movedTo(address, input), withToken(address, init));
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

function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
