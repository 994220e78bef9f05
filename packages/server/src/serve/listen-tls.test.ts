import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SERVE } from '../home/home-owner.js';
import { certificates } from '../testing/certificates.js';
import { freePort } from '../testing/free-port.js';
import type { UnauthenticatedLimits } from './limit-unauthenticated.js';
import { serve, type Serving } from './serve.js';

let folder = '';
let serving: Serving | undefined;
const files = () => ({ cert: join(folder, 'server.crt'), key: join(folder, 'server.key') });
async function writeFiles(cert: string, key: string): Promise<void> {
  await writeFile(files().cert, cert);
  await writeFile(files().key, key);
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-tls-'));
  await writeFiles(certificates.a.cert, certificates.a.key);
});
afterEach(async () => {
  vi.useRealTimers();
  await serving?.close();
  serving = undefined;
  await rm(folder, { recursive: true, force: true });
});

const quiet = (): void => undefined;
async function start(port: number, unauthenticated?: UnauthenticatedLimits): Promise<Serving> {
  const log = { info: quiet, warn: quiet, error: quiet };
  const rest = { env: {}, log, command: SERVE, version: 'test', ...(unauthenticated && { unauthenticated }) };
  const sandbox = { kind: 'none', reason: 'no command runs here' } as const;
  const tls = { ...files(), port, host: '127.0.0.1' };
  const home = join(folder, 'home');
  return (serving = await serve({ home, port: 0, sandbox, ollamaUrl: 'http://127.0.0.1:9', tls, ...rest }));
}

async function ask(url: string, headers: Record<string, string>) {
  const ca = certificates.a.cert;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { ca, headers, agent: false, servername: 'localhost' }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

async function presented(port: number): Promise<X509Certificate> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const opened: TLSSocket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(opened));
    opened.on('error', reject);
  });
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return new X509Certificate(raw);
}

it('[TERM1.6] serves https under the name in the certificate, and plain http for this machine', async () => {
  const port = await freePort();
  const server = await start(port);
  const { url, publicUrl, home } = server;
  expect(publicUrl).toBe(`https://localhost:${port}`);
  expect(server.newStartUrl()).toMatch(`https://localhost:${port}/#ticket=`);
  const authorization = `Bearer ${home.token.value}`;
  const listed = await ask(`${publicUrl}/api/worlds`, { authorization });
  expect(listed).toMatchObject({ status: 200 });
  expect(listed.headers['strict-transport-security']).toMatch(/^max-age=/);
  expect((await ask(`${publicUrl}/api/worlds`, {})).status).toBe(401);
  // Other names, also of other machines that share the certificate, are refused.
  expect((await ask(`${publicUrl}/api/worlds`, { authorization, host: 'evil.example' })).status).toBe(403);
  expect((await fetch(`${url}/api/worlds`, { headers: { authorization } })).status).toBe(200);
  await expect(ask(`https://127.0.0.1:${new URL(url).port}/`, {})).rejects.toThrow(/wrong version number|EPROTO|SSL/);
});

it('[TERM1.6] signs a browser in over https, with a cookie that http never sends', async () => {
  const server = await start(await freePort());
  const { publicUrl } = server;
  const ticket = new URL(server.newStartUrl()).hash.slice('#ticket='.length);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', origin: publicUrl };
    const asked = request(`${publicUrl}/api/session`, { method: 'POST', ca: certificates.a.cert, headers }, resolve);
    asked.on('error', reject).end(JSON.stringify({ ticket }));
  });
  expect(response.statusCode).toBeLessThan(300);
  expect(String(response.headers['set-cookie'])).toMatch(/; Secure/);
  response.resume();
});

it('[TERM1.6] uses renewed files within a minute, and keeps the old ones while the new ones are wrong', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const port = await freePort();
  await start(port);
  const own = async (): Promise<string> => (await presented(port)).subject;
  expect(await own()).toBe('CN=test a');
  await writeFiles(certificates.b.cert, certificates.a.key);
  await utimes(files().cert, 1, 1);
  vi.advanceTimersByTime(60_000);
  expect(await own()).toBe('CN=test a');
  await writeFiles(certificates.b.cert, certificates.b.key);
  await utimes(files().cert, 2, 2);
  vi.advanceTimersByTime(60_000);
  expect(await own()).toBe('CN=test b');
});

it.each<[string, string, string, RegExp]>([
  ['a missing file', '', '', /--tls: .*server\.key can't be read: ENOENT/],
  ['no certificate', 'garbage', certificates.a.key, /are no certificate and its private key in PEM format: /],
  ['the key of another certificate', certificates.a.cert, certificates.b.key, /PEM format: .*mismatch/],
])('[TERM1.6] refuses %s with a sentence, and releases the home', async (_, cert, key, expected) => {
  await writeFiles(cert, key);
  if (key === '') await rm(files().key);
  await expect(start(await freePort())).rejects.toThrow(expected);
  await writeFiles(certificates.a.cert, certificates.a.key);
  await start(await freePort());
});

it('[TERM1.6] closes the oldest connection without a handshake if there are too many', async () => {
  const port = await freePort();
  await start(port, { headersMs: 10_000, most: 2 });
  const [first, second] = [connectPlain(port, '127.0.0.1'), connectPlain(port, '127.0.0.1')];
  await Promise.all([once(first, 'connect'), once(second, 'connect')]);
  const oldest = once(first, 'close');
  expect((await presented(port)).subject).toBe('CN=test a');
  await oldest;
  second.destroy();
});
