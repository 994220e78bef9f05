import type { NewSession } from '@countersign/protocol';

/**
 * The part of a session that the page keeps (W1). It is stored for this origin, so that a session outlives its tab. The cookie is not enough on
 * its own: other ports of this host get it too, but can't read this storage.
 */
const KEY = 'countersign.session';

const listeners = new Set<() => void>();

export function currentSession(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/** Called when this browser signs in or is signed out. */
export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}

/** Other tabs share the cookie, which was just replaced, and get the new part too. */
export function keepSession(session: string): void {
  localStorage.setItem(KEY, session);
  tell();
}

/** Drops a session that the server rejected; a newer one is kept. */
export function forgetSession(refused: string | undefined): void {
  if (currentSession() !== refused) return;
  localStorage.removeItem(KEY);
  tell();
}

/** The ticket of a start link, or an invitation. */
export function keyInUrl(): NewSession | undefined {
  const given = new URLSearchParams(location.hash.slice(1));
  const ticket = given.get('ticket');
  if (ticket !== null) return { ticket };
  const invitation = given.get('invitation');
  return invitation === null ? undefined : { invitation };
}

/** Removes the ticket or invitation from the URL, so that it doesn't stay in the history. */
export function takeKey(): NewSession | undefined {
  const key = keyInUrl();
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return key;
}

/** Follows sign-ins and sign-outs in other tabs. */
export function followOtherTabs(): void {
  // Earlier versions kept it in the tab.
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (kept !== null && currentSession() === undefined) keepSession(kept);
  globalThis.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) tell();
  });
}
