import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp, TOKEN } from '../testing/app-fixture.js';
import { responseToNobody } from '../testing/no-socket.js';
import { MAX_STREAMS } from './limit-streams.js';

afterEach(closeApps);

describe('streams of one credential', () => {
  it('[LIMIT4] [HTTP1] beyond the limit are rejected with a message before anything is written, and accepted again when one ends', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Harbour' });
    const chat = await t.api<{ id: string }>('POST', '/worlds/harbour/chats', {});
    const messages = `/api/worlds/harbour/chats/${chat.body.id}/messages`;
    const headers = { authorization: `Bearer ${TOKEN}`, host: new URL(t.url).host, accept: 'text/event-stream' };
    const ask = async (path: string, init: RequestInit = {}, outgoing = responseToNobody()) =>
      await t.app.request(
        `${t.url}${path}`,
        { ...init, headers: { ...headers, 'content-type': 'application/json' } },
        { outgoing },
      );
    const events = '/api/worlds/harbour/events';
    const open = Array.from({ length: MAX_STREAMS }, responseToNobody);
    for (const outgoing of open) await ask(events, {}, outgoing);
    expect(new Set(open.map(({ headersSent }) => headersSent))).toEqual(new Set([true]));

    const refused = await ask(events);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.text()).toContain('Close some and try again');
    const unsaid = await ask(messages, { method: 'POST', body: JSON.stringify({ content: 'hello' }) });
    expect(unsaid.status).toBe(429);
    expect(await (await ask(messages)).json()).toMatchObject({ items: [] });

    open[0]?.emit('close');
    expect((await ask(events)).status).toBe(200);
  });
});
