import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp, TOKEN } from '../testing/app-fixture.js';
import { MOST_STREAMS } from './limit-streams.js';

afterEach(closeApps);

describe('streams of one credential', () => {
  it('[N4] [W2] are refused in words beyond what anybody needs, before anything is written, and again let in when one ends', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Harbour' });
    const chat = await t.api<{ id: string }>('POST', '/worlds/harbour/chats', {});
    const messages = `/api/worlds/harbour/chats/${chat.body.id}/messages`;
    const headers = { authorization: `Bearer ${TOKEN}`, host: new URL(t.url).host, accept: 'text/event-stream' };
    const ask = async (path: string, init: RequestInit = {}) =>
      await t.app.request(
        `${t.url}${path}`,
        { ...init, headers: { ...headers, 'content-type': 'application/json' } },
        {},
      );
    const events = '/api/worlds/harbour/events';
    const open: Response[] = [];
    for (let i = 0; i < MOST_STREAMS; i += 1) open.push(await ask(events));
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));

    const refused = await ask(events);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.text()).toContain('Close some of them');
    const unsaid = await ask(messages, { method: 'POST', body: JSON.stringify({ content: 'hello' }) });
    expect(unsaid.status).toBe(429);
    expect(await (await ask(messages)).json()).toMatchObject({ items: [] });

    await open.pop()?.body?.cancel();
    open.push(await ask(events));
    expect(open.at(-1)?.status).toBe(200);
    for (const response of open) await response.body?.cancel();
  });
});
