import { type Client, createClient } from '@countersign/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
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
        defaultOptions: { queries: { retry: 1, staleTime: 5000, refetchOnWindowFocus: true } },
      }),
  );
  useEffect(() => {
    answerOtherTabs();
    const come = (): void => void enter(() => setState(signedOut()), come).then(setState);
    come();
  }, []);
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queries}>
        {state.kind === 'in' ? (
          <ClientContext value={state.client}>
            <Home />
          </ClientContext>
        ) : null}
        {state.kind === 'out' ? <SignIn why={state.why} /> : null}
        <Toasts />
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

/** `onLate`: whoever was sent away could be let in by now. */
async function enter(onRefused: () => void, onLate: () => void): Promise<State> {
  const url = location.origin;
  const ticket = takeTicket();
  if (ticket !== undefined) {
    try {
      const { session } = await createClient({ url }).openSession(ticket);
      keepSession(session);
    } catch (error) {
      // A page that is loaded again still has its session; the ticket in its address is used up.
      const known = await findSession(onLate);
      if (known === undefined) return { kind: 'out', why: error instanceof Error ? error.message : '' };
    }
  }
  const session = await findSession(onLate);
  return session === undefined
    ? { kind: 'out' }
    : { kind: 'in', client: createClient({ url, session, fetch: watchful(onRefused) }) };
}

function signedOut(): State {
  forgetSession();
  return { kind: 'out', why: 'This session has ended.' };
}

/** Whatever is refused for want of a session, a message or a signature too, leads out at once: the page shows nothing that is still true. */
function watchful(onRefused: () => void): typeof fetch {
  return async (...request) => {
    const response = await fetch(...request);
    if (response.status === 401) onRefused();
    return response;
  };
}
