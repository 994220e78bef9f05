import { request } from 'node:http';
import type { OpenSession } from '@countersign/protocol';
import { afterEach, expect, it } from 'vitest';
import { closeApps, until } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';
import { add } from '../testing/people.js';
import { signInAs } from '../testing/sign-in.js';

afterEach(closeApps);

/** Sends a request except for the last byte of its body. The returned function sends that byte, and resolves to the status. */
function hold(t: Harbour, headers: Record<string, string>, path: string, body: object): () => Promise<number> {
  const text = JSON.stringify(body);
  const json = { 'Content-Type': 'application/json', 'Content-Length': String(text.length) };
  const sent = request(`${t.url}${path}`, { method: 'POST', headers: { ...headers, ...json } });
  const status = new Promise<number>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => resolve(response.resume().statusCode ?? 0));
  });
  sent.write(text.slice(0, -1));
  return async () => {
    sent.end(text.slice(-1));
    return await status;
  };
}

it('[WHO1.12] a request whose body arrives after its session was ended, or its role taken away, does nothing', async () => {
  const t = await openHarbour();
  await t.propose({ name: 'remove', arguments: { path: 'a' } });
  const [card] = await t.pending();
  await t.api('POST', '/worlds/harbour/external/agents', { name: 'Claude', program: 'mcp' });
  const decision = { tool_call_id: card?.approvalId, decision: 'approve', callHash: card?.callHash };
  const cases = [
    { path: '/api/people', body: { name: 'Eve', role: 'admin' }, change: { status: 'disabled' }, status: 401 },
    { path: '/api/worlds/harbour/tool-results', body: decision, change: { role: 'viewer' }, status: 403 },
    { path: '/api/worlds/harbour/chats', body: {}, change: { role: 'viewer' }, status: 403 },
    { path: '/mcp/harbour?agent=claude', body: {}, change: { status: 'disabled' }, status: 401 },
  ];
  for (const [at, { path, body, change, status }] of cases.entries()) {
    const { id } = await add(t, `Bob ${at}`, 'admin');
    const session = await signInAs(t, id);
    const finish = hold(t, session, path, body);
    const used = async (): Promise<true | undefined> => {
      const { items } = (await t.api<{ items: OpenSession[] }>('GET', `/people/${id}/sessions`)).body;
      return items.some(({ usedFrom }) => usedFrom !== undefined) || undefined;
    };
    await until(used, 'the request was authenticated');
    expect((await t.api('PATCH', `/people/${id}`, change)).status).toBe(200);
    expect([path, await finish()]).toEqual([path, status]);
  }
  expect(t.runs).toEqual([]);
  const { items } = (await t.api<{ items: { name: string }[] }>('GET', '/people')).body;
  expect(items.map(({ name }) => name)).not.toContain('Eve');
});
