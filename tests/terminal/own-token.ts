import { SESSION_HEADER, type TokenScope } from '@countersign/protocol';
import type { HarbourServer } from './harbour-server.js';

/** A token of a new person. Only the person can create a token that signs: signs in with an invitation and creates one. */
export async function ownToken(t: HarbourServer, name: string, scopes: readonly TokenScope[]): Promise<string> {
  const { id } = await t.client.addPerson({ name, role: scopes.includes('admin') ? 'admin' : 'approver' });
  const { open } = await t.client.invitePerson(id);
  const send = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${t.serving().url}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const opened = await send('/session', { invitation: open.split('=')[1] });
  const { session } = (await opened.json()) as { session: string };
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const made = await send(`/people/${id}/tokens`, { name: 'laptop', scopes }, { cookie, [SESSION_HEADER]: session });
  return ((await made.json()) as { token: string }).token;
}
