import { SESSION_HEADER, type NewSession } from '@countersign/protocol';
import { worldToShow } from '../shell/paths.js';
import { currentSession, keepSession, keyInUrl } from './session.js';

// Every page signs in, lists the worlds and finds the end of one world's log (`openFeed`) before it loads anything else. These requests are
// sent while the app's code is still loading; each response is used once.

const sent = new Map<string, Promise<Response>>();

/** The query that `Home` sends, exactly as the client formats it. */
const WORLDS = '/api/worlds?limit=200';
const SESSION = '/api/session';
const COMMON = { cache: 'no-store', redirect: 'error' } as const;

export function sendEarly(): void {
  const key = keyInUrl();
  // The app handles the failure, if it uses the response at all.
  (key === undefined ? readWorlds() : signIn(key)).catch(() => undefined);
}

/** Like `fetch`, but returns the response to an identical request that was sent early. */
export const earlyFetch: typeof fetch = (input, init = {}) => {
  const key = keyOf(init.method ?? 'GET', typeof input === 'string' ? input : '');
  const early = sent.get(key);
  sent.delete(key);
  return early ?? fetch(input, init);
};

async function signIn(key: NewSession): Promise<void> {
  const opened = fetch(SESSION, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(key),
    ...COMMON,
  });
  const copy = opened.then((response) => response.clone());
  sent.set(keyOf('POST', SESSION), opened);
  const response = await copy;
  if (!response.ok) return;
  const body = (await response.json()) as unknown;
  if (typeof body !== 'object' || body === null || !('session' in body) || typeof body.session !== 'string') return;
  // The ticket has been used: without this, a reload before the app starts would require a new link.
  keepSession(body.session);
  await readWorlds();
}

async function readWorlds(): Promise<void> {
  const session = currentSession();
  if (session === undefined) return;
  const response = await read(WORLDS, session);
  const body = response.ok ? ((await response.json()) as unknown) : undefined;
  if (typeof body !== 'object' || body === null || !('items' in body) || !Array.isArray(body.items)) return;
  const world = worldToShow(location.pathname, (body.items as unknown[]).filter(hasId));
  if (world !== undefined) await read(`/api/worlds/${encodeURIComponent(world)}`, session);
}

/** Resolves to a copy of the response: the app gets the original. */
function read(path: string, session: string): Promise<Response> {
  const response = fetch(path, { headers: { Accept: 'application/json', [SESSION_HEADER]: session }, ...COMMON });
  const copy = response.then((each) => each.clone());
  sent.set(keyOf('GET', path), response);
  return copy;
}

function hasId(world: unknown): world is { id: string } {
  return typeof world === 'object' && world !== null && 'id' in world && typeof world.id === 'string';
}

function keyOf(method: string, url: string): string {
  return `${method} ${new URL(url, location.origin).href}`;
}
