import { answerClick, showNotice } from './notifications.js';
import type { RequestEvent, WorkerScope } from './scope.js';

/** The files of the app shell, by names that change with their content. The build inserts them, so each build is a new worker. */
declare const SHELL: { readonly version: string; readonly files: readonly string[] };

const OFFLINE = '/offline.html';
const ALWAYS = [OFFLINE, '/offline.css', '/mark.svg'];

const scope = globalThis as unknown as WorkerScope;
let showing = Promise.resolve();
const cacheName = `countersign-${SHELL.version}`;

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(activate()));
scope.addEventListener('fetch', (event) => {
  const answer = answerFor(event);
  if (answer !== undefined) event.respondWith(answer);
});

scope.addEventListener('push', (event) => {
  const notice = event.data?.json() as Parameters<typeof showNotice>[1] | undefined;
  if (notice === undefined) return;
  // One after the other: a message that withdraws a notification would also close the one that follows it.
  const work = (): Promise<void> => showNotice(scope, notice);
  showing = showing.then(work, work);
  event.waitUntil(showing);
});
scope.addEventListener('notificationclick', (event) => {
  event.waitUntil(answerClick(scope, event.action, event.notification));
});

async function install(): Promise<void> {
  const cache = await scope.caches.open(cacheName);
  await cache.addAll(ALWAYS.map((file) => new Request(file, { cache: 'reload' })));
  await cache.addAll([...SHELL.files]);
  await scope.skipWaiting();
}

async function activate(): Promise<void> {
  const names = await scope.caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => scope.caches.delete(name)));
  await scope.registration.navigationPreload?.enable();
  await scope.clients.claim();
}

/**
 * Only for pages and files of the shell. Everything else, above all the API, goes to the server as if there were no worker. A page always comes from the
 * server: a cached one would name files of an older build.
 */
function answerFor({ request, preloadResponse }: RequestEvent): Promise<Response> | undefined {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== scope.location.origin || pathname.startsWith('/api/')) return undefined;
  if (request.mode === 'navigate') return fromServer(request, preloadResponse);
  return SHELL.files.includes(pathname) || ALWAYS.includes(pathname) ? fromCache(request, pathname) : undefined;
}

async function fromServer(request: Request, preloaded: Promise<Response | undefined>): Promise<Response> {
  try {
    return (await preloaded) ?? (await fetch(request));
  } catch {
    return (await cached(OFFLINE)) ?? Response.error();
  }
}

async function fromCache(request: Request, pathname: string): Promise<Response> {
  return (await cached(pathname)) ?? (await fetch(request));
}

async function cached(pathname: string): Promise<Response | undefined> {
  return await (await scope.caches.open(cacheName)).match(pathname);
}
