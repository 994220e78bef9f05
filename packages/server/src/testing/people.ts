import { SERVER_LOG } from '@countersign/core/ports';
import type { CreatedToken, NewToken, Person } from '@countersign/protocol';
import { expect } from 'vitest';
import type { AppFixture } from './app-fixture.js';
import { ask, signInAs } from './sign-in.js';

export const as = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

/** Adds a person as the server's token. */
export async function add(t: AppFixture, name: string, role: string | null, worldRoles = {}): Promise<Person> {
  const added = await t.api<Person>('POST', '/people', { name, role, worldRoles });
  expect(added.status).toBe(201);
  return added.body;
}

/** A token of a new person, created by the server's token. */
export async function tokenOf(
  t: AppFixture,
  name: string,
  role: string | null,
  scopes: NewToken['scopes'],
  worldRoles = {},
): Promise<Record<string, string>> {
  const { id } = await add(t, name, role, worldRoles);
  if (scopes.includes('sign')) return await ownToken(t, id, scopes);
  const made = await t.api<CreatedToken>('POST', `/people/${id}/tokens`, { name: 'test', scopes });
  expect(made.status).toBe(201);
  return as(made.body.token);
}

/** A token that the person creates: only they can create one that signs. */
export async function ownToken(t: AppFixture, id: string, scopes: NewToken['scopes']): Promise<Record<string, string>> {
  const made = await ask(t, 'POST', `/people/${id}/tokens`, await signInAs(t, id), { name: 'test', scopes });
  expect(made.status).toBe(201);
  return as(String(made.body['token']));
}

/** The server's audit log. */
export const audit = (t: AppFixture) =>
  t.engine.runtime.store.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 99 }));
