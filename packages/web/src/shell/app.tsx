import { type Client, ClientError, createClient, createOutbox, isTransient } from '@countersign/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import { useLearnMe } from '../data/me.js';
import { ClientContext, OutboxContext } from '../data/connection.js';
import { keptText } from '../data/kept-text.js';
import { ErrorBoundary } from './error-boundary.js';
import { Home } from './home.js';
import { Notices } from '../notices/notices.js';
import { enter } from '../session/enter.js';
import { PairingPage } from '../session/pairing.js';
import { currentSession, followOtherTabs, subscribeToSession } from '../session/session.js';
import { SignIn } from '../session/sign-in.js';
import { signedFetch } from '../session/signed-fetch.js';
import { shellWords } from '../words/shell.js';

const OUTBOX = 'countersign.outbox';

/** Created once per page. */
function createPage() {
  const client: Client = createClient({
    url: location.origin,
    fetch: signedFetch,
    confirm: async (action) => (await import('../passkeys/confirm.js')).confirmWith(client, action),
  });
  const outbox = createOutbox({ client, saved: keptText(OUTBOX), save: (text) => keptText(OUTBOX, text) });
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 1 && error instanceof ClientError && isTransient(error),
        staleTime: 5000,
        refetchOnWindowFocus: true,
        // The server is usually on this machine, so it can be reached without a network.
        networkMode: 'always',
      },
    },
  });
  return { client, outbox, queries };
}

export function App(): ReactElement {
  const [page, setPage] = useState<ReturnType<typeof createPage>>();
  const [why, setWhy] = useState<string>();
  const [code, setCode] = useState<string>();
  const [isLooking, setIsLooking] = useState(true);
  const session = useSyncExternalStore(subscribeToSession, currentSession);
  useEffect(() => {
    followOtherTabs();
    const come = (): void => void enter({ onPairing: setCode, onRefused: setWhy }).finally(() => setIsLooking(false));
    come();
    globalThis.addEventListener('hashchange', come);
    return () => globalThis.removeEventListener('hashchange', come);
  }, []);
  useEffect(() => {
    if (session === undefined) return;
    setWhy(shellWords.sessionEnded);
    // After sign-in, the page stays mounted, so that nothing typed is lost when the person has to sign in again.
    if (page === undefined) setPage(createPage());
    else page.outbox.retryNow();
  }, [session, page]);
  const isOut = session === undefined;
  return (
    <ErrorBoundary>
      {page === undefined ? null : (
        <div hidden={isOut || code !== undefined} className="h-full">
          <QueryClientProvider client={page.queries}>
            <ClientContext value={page.client}>
              <OutboxContext value={page.outbox}>
                <LearnMe session={session} />
                <Home />
              </OutboxContext>
            </ClientContext>
          </QueryClientProvider>
          {/* Behind the sign-in page, the lost connection is no news. */}
          {isOut ? null : <Notices />}
        </div>
      )}
      {code === undefined ? null : <PairingPage code={code} />}
      {isOut && !isLooking ? <SignIn why={why} keepsPage={page !== undefined} /> : null}
    </ErrorBoundary>
  );
}

function LearnMe({ session }: { session: string | undefined }): null {
  useLearnMe(session);
  return null;
}
