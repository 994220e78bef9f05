import type { NewSession } from '@countersign/protocol';

/**
 * The part of a session that the page keeps (WHO1). It is stored for this origin, so that a session outlives its tab. The cookie is not enough on
 * its own: other ports of this host get it too, but can't read this storage.
 */
const KEY = 'countersign.session';

const listeners = new Set<() => void>();

export function currentSession(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/** Calls the listener when this browser signs in or is signed out. */
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

/** The sign-in with OIDC that this tab started. Other tabs, origins and ports can't read or set it, so an answer works only in this tab. */
const OIDC = 'countersign.oidc';
const CALLBACK = '/oidc/callback';

/** Remembers a sign-in with OIDC, and the page to return to. */
export function keepOidcAttempt(attempt: string): void {
  sessionStorage.setItem(OIDC, JSON.stringify({ attempt, page: location.pathname + location.search }));
}

function oidcAttempt(): { attempt: string; page: string } {
  const { attempt = '-', page = '/' } = JSON.parse(sessionStorage.getItem(OIDC) ?? '{}') as Record<string, string>;
  return { attempt, page: page.startsWith(CALLBACK) ? '/' : page };
}

/** What the OIDC provider added to our URL. */
function oidcInUrl(): NewSession | undefined {
  if (location.pathname !== CALLBACK) return undefined;
  const given = new URLSearchParams(location.search);
  const read = (name: string): object => {
    const value = given.get(name);
    return value === null || value === '' ? {} : { [name]: value.slice(0, name === 'code' ? 4000 : 1000) };
  };
  const state = given.get('state') ?? '';
  const answer = { ...read('code'), ...read('iss'), ...read('error') };
  return { oidc: { attempt: oidcAttempt().attempt, state: state === '' ? '-' : state.slice(0, 1000), ...answer } };
}

/** The ticket of a start link, an invitation, or the answer of the OIDC provider. */
export function keyInUrl(): NewSession | undefined {
  const answer = oidcInUrl();
  if (answer !== undefined) return answer;
  const given = new URLSearchParams(location.hash.slice(1));
  const ticket = given.get('ticket');
  if (ticket !== null) return { ticket };
  const invitation = given.get('invitation');
  return invitation === null ? undefined : { invitation };
}

let isInvited = false;

/** Whether this page was opened with an invitation. */
export function wasInvited(): boolean {
  return isInvited;
}

/** Removes the ticket, invitation or code from the URL, so that it doesn't stay in the history. */
export function takeKey(): NewSession | undefined {
  const key = keyInUrl();
  if (key?.invitation !== undefined) isInvited = true;
  if (key?.oidc !== undefined) {
    const { page } = oidcAttempt();
    sessionStorage.removeItem(OIDC);
    history.replaceState(null, '', location.origin + page.replace(/^\/+/, '/'));
  } else if (key !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return key;
}

/** Follows sign-ins and sign-outs in other tabs. */
export function followOtherTabs(): void {
  globalThis.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) tell();
  });
}
