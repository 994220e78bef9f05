import { type Client, ClientError, createClient } from '@countersign/client';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactElement, useEffect, useState } from 'react';
import { ClientContext } from '../data/connection.js';
import { Toasts } from '../ui/toast.js';
import { ErrorBoundary } from './error-boundary.js';
import { Home } from './home.js';
import { answerOtherTabs, findSession, forgetSession, keepSession, takeTicket } from './session.js';
import { SignIn } from './sign-in.js';

type State = { kind: 'looking' } | { kind: 'in'; client: Client } | { kind: 'out'; why?: string };

/** One client and one cache for the page, once it is known who looks at it. */
export function App(): ReactElement {
  const [state, setState] = useState<State>({ kind: 'looking' });
  const [queries] = useState(
    () =>
      new QueryClient({
        queryCache: new QueryCache({
          onError: (error) => {
            if (isRefused(error)) setState(signedOut());
          },
        }),
        defaultOptions: { queries: { retry: 1, staleTime: 5000, refetchOnWindowFocus: true } },
      }),
  );
  useEffect(() => {
    answerOtherTabs();
    void enter().then(setState);
  }, []);
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queries}>
        {state.kind === 'in' ? (
          <ClientContext value={state.client}>
            <Home onRefused={() => setState(signedOut())} />
          </ClientContext>
        ) : null}
        {state.kind === 'out' ? <SignIn why={state.why} /> : null}
        <Toasts />
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

async function enter(): Promise<State> {
  const url = location.origin;
  const ticket = takeTicket();
  if (ticket !== undefined) {
    try {
      const { session } = await createClient({ url }).openSession(ticket);
      keepSession(session);
    } catch (error) {
      // A page that is loaded again still has its session; the ticket in its address is used up.
      const known = await findSession();
      if (known === undefined) return { kind: 'out', why: error instanceof Error ? error.message : '' };
    }
  }
  const session = await findSession();
  return session === undefined ? { kind: 'out' } : { kind: 'in', client: createClient({ url, session }) };
}

function signedOut(): State {
  forgetSession();
  return { kind: 'out', why: 'This session has ended.' };
}

function isRefused(error: unknown): boolean {
  return error instanceof ClientError && error.status === 401;
}
