import { SESSION_HEADER } from '@countersign/protocol';
import { expect } from 'vitest';
import type { AppFixture } from './app-fixture.js';
import { checkResponse } from './check-response.js';

type Headers = Record<string, string>;

/** A page of the web app at localhost, where passkeys work. */
export const pageOf = (t: AppFixture): string => t.url.replace('127.0.0.1', 'localhost');

/** Sends a request with only these credentials. */
export async function ask<T = Record<string, unknown>>(
  t: AppFixture,
  method: string,
  path: string,
  credentials: Headers,
  body?: unknown,
): Promise<{ status: number; headers: Response['headers']; body: T }> {
  const response = await fetch(`${t.url}/api${path}`, {
    method,
    headers: { ...credentials, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  const text = await response.text();
  const read = (text === '' ? {} : JSON.parse(text)) as T;
  checkResponse(method, path, { status, type: headers.get('content-type') ?? '', body: read });
  return { status, headers, body: read };
}

/** Signs a browser in and returns its headers. */
export async function signIn(t: AppFixture, body: object): Promise<Headers> {
  const opened = await ask<{ session: string }>(t, 'POST', '/session', { Origin: pageOf(t) }, body);
  expect(opened.status).toBe(200);
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, [SESSION_HEADER]: opened.body.session };
}

/** Signs a browser in with a new invitation of a person. */
export async function signInAs(t: AppFixture, person: string): Promise<Headers> {
  const { open } = (await t.api<{ open: string }>('POST', `/people/${person}/invitations`)).body;
  return await signIn(t, { invitation: open.split('=')[1] });
}

/** Opens another device with a link of a session, which confirms its code. */
export async function openLinked(
  t: AppFixture,
  session: Headers,
  { id, open }: Record<string, unknown>,
): Promise<Headers> {
  const ticket = String(open).split('#ticket=')[1];
  const asked = await ask<{ pairing: string; code: string }>(t, 'POST', '/session', { Origin: pageOf(t) }, { ticket });
  expect(asked.status).toBe(202);
  const { pairing, code } = asked.body;
  expect((await ask(t, 'POST', `/me/devices/link/${String(id)}/confirm`, session, { code })).status).toBe(204);
  return await signIn(t, { ticket, pairing });
}
