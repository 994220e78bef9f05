/**
 * The part of a session that the page keeps (W1). It is stored per tab, because the cookie, which other programs on this machine could send,
 * must not be enough on its own.
 */
const KEY = 'countersign.session';
const CHANNEL = 'countersign.session';
/** How long to wait before telling a person that they need a start link. */
const PATIENCE_MS = 250;

const listeners = new Set<() => void>();
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);
const tell = channel?.postMessage.bind(channel);

export function currentSession(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Called when this tab signs in or is signed out. */
export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(session: string | undefined): void {
  if (session === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, session);
  for (const listener of [...listeners]) listener();
}

/** Other tabs share the cookie, which was just replaced, so they need the new part too. A channel doesn't reach other ports. */
export function keepSession(session: string): void {
  set(session);
  tell?.({ signedIn: session });
}

/** Drops a session that the server rejected; a newer one is kept. */
export function forgetSession(refused: string | undefined): void {
  if (currentSession() === refused) set(undefined);
}

/** The ticket from a start link. */
export function ticketInUrl(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('ticket') ?? undefined;
}

/** Removes the ticket from the URL, so that it doesn't stay in the history. */
export function takeTicket(): string | undefined {
  const ticket = ticketInUrl();
  if (ticket !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return ticket;
}

/** Sends this tab's session to tabs that ask for it, and uses the session that another tab has signed in with. */
export function shareSession(): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const session = currentSession();
    if (data === 'ask' && session !== undefined) tell?.({ session });
    if (typeof data !== 'object' || data === null) return;
    if ('signedIn' in data && typeof data.signedIn === 'string') set(data.signedIn);
    // The answer was meant for any tab that asked, and may be older than this tab's session.
    if ('session' in data && typeof data.session === 'string' && session === undefined) set(data.session);
  });
}

/** This tab's session, or that of another tab with the same origin. A late answer is used when it arrives. */
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
