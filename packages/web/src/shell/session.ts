/** The half of a session that the page keeps (W1). Per tab: a cookie alone, sent by whatever runs on this machine, must not do. */
const KEY = 'countersign.session';
const CHANNEL = 'countersign.session';
/** So long nobody is told that they need a link. */
const PATIENCE_MS = 250;

const listeners = new Set<() => void>();
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);
const tell = channel?.postMessage.bind(channel);

export function currentSession(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Told when this tab signs in or is signed out. */
export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(session: string | undefined): void {
  if (session === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, session);
  for (const listener of [...listeners]) listener();
}

/** Other tabs share the cookie, which has just been replaced: they need the new half too. A channel reaches no other port. */
export function keepSession(session: string): void {
  set(session);
  tell?.({ signedIn: session });
}

/** The server has refused this session; one that came meanwhile is kept. */
export function forgetSession(refused: string | undefined): void {
  if (currentSession() === refused) set(undefined);
}

/** The ticket of a start link, taken out of the address at once: it must not stay in the history. */
export function takeTicket(): string | undefined {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
  if (ticket === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return ticket;
}

/** Gives this tab's session to others that ask, and takes the one that another tab has signed in with. */
export function shareSession(): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const session = currentSession();
    if (data === 'ask' && session !== undefined) tell?.({ session });
    if (typeof data !== 'object' || data === null) return;
    if ('signedIn' in data && typeof data.signedIn === 'string') set(data.signedIn);
    // An answer to any tab that asked; it may be older than what this one has.
    if ('session' in data && typeof data.session === 'string' && session === undefined) set(data.session);
  });
}

/** This tab's session, or that of another tab of this address. One that answers late is taken when it does. */
export async function findSession(): Promise<string | undefined> {
  if (currentSession() === undefined && tell !== undefined) {
    tell?.('ask');
    await new Promise<void>((resolve) => {
      const stop = subscribeToSession(done);
      const timer = setTimeout(done, PATIENCE_MS);
      function done(): void {
        clearTimeout(timer);
        stop();
        resolve();
      }
    });
  }
  return currentSession();
}
